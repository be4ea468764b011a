// The table of cases: headings sort it, a text and one list a setting filter it. What is chosen stands in the page's
// address, as in #sort=-time&precond=ic0&filter=arch (-: the largest first), so that a link leads to it; axis=precond
// chooses the matrix of verdicts. Rows and texts are the page's own: nothing is made from the address but a choice.
'use strict';
(() => {
    const table = document.getElementById('case-table');
    const controls = document.getElementById('controls');
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const keys = heads.map(head => head.dataset.key);
    const rows = [...body.rows].map((row, order) => {
        const texts = [...row.cells].map(cell => cell.textContent.trim());
        return {row, order, texts, all: texts.join(' ').toLowerCase()};
    });
    const collator = new Intl.Collator('en', {numeric: true});
    const state = {sort: '', filter: '', chosen: {}};

    const element = (name, members, ...children) => {
        const made = Object.assign(document.createElement(name), members);
        made.append(...children);
        return made;
    };

    const search = element('input', {type: 'search', name: 'filter', placeholder: 'words, as in arch f64'});
    const lists = {};
    const shown = element('output', {});
    shown.setAttribute('aria-live', 'polite');

    function makeControls() {
        controls.append(element('label', {}, 'filter', search));
        heads.forEach((head, column) => {
            if (!('choice' in head.dataset))
                return;
            const values = [...new Set(rows.map(row => row.texts[column]))];
            if (values.length < 2)
                return;
            const list = element('select', {name: keys[column]}, new Option('all', ''));
            values.forEach(value => list.append(new Option(value, '=' + value)));
            lists[keys[column]] = list;
            controls.append(element('label', {}, head.textContent, list));
        });
        controls.append(element('button', {type: 'reset', textContent: 'Show all'}), shown);
        controls.hidden = false;
    }

    // What is no number stands last, whichever way the numbers run.
    function compare(column, sign) {
        const numeric = heads[column].classList.contains('number');
        return (a, b) => {
            const x = a.texts[column], y = b.texts[column];
            if (!numeric)
                return sign * collator.compare(x, y) || a.order - b.order;
            const p = parseFloat(x), q = parseFloat(y);
            if (isNaN(p) || isNaN(q))
                return isNaN(p) - isNaN(q) || a.order - b.order;
            return sign * (p - q) || a.order - b.order;
        };
    }

    function sortRows() {
        const descending = state.sort.startsWith('-');
        const column = keys.indexOf(state.sort.slice(descending ? 1 : 0));
        heads.forEach((head, i) => head.setAttribute('aria-sort',
            i !== column ? 'none' : descending ? 'descending' : 'ascending'));
        const sorted = [...rows].sort(column < 0 ? (a, b) => a.order - b.order
                                                 : compare(column, descending ? -1 : 1));
        body.append(...sorted.map(entry => entry.row));
    }

    function filterRows() {
        const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
        const wanted = Object.entries(state.chosen).map(([key, value]) => [keys.indexOf(key), value]);
        let count = 0;
        for (const entry of rows) {
            const fits = words.every(word => entry.all.includes(word)) &&
                wanted.every(([column, value]) => entry.texts[column] === value);
            entry.row.hidden = !fits;
            count += fits;
        }
        shown.textContent = `${count} of ${rows.length} cases`;
    }

    function chosenAxis() {
        return document.querySelector('input[name=axis]:checked');
    }

    // The address follows what is chosen.
    function tell() {
        const parts = new URLSearchParams();
        if (state.sort)
            parts.set('sort', state.sort);
        if (state.filter)
            parts.set('filter', state.filter);
        for (const [key, value] of Object.entries(state.chosen))
            parts.set(key, value);
        const axis = chosenAxis();
        if (axis && !axis.defaultChecked)
            parts.set('axis', axis.value);
        history.replaceState(null, '', parts.toString() ? '#' + parts : location.pathname + location.search);
    }

    // What the address says; false: it names a section, or nothing.
    function listen() {
        const hash = location.hash.slice(1);
        if (!hash.includes('='))
            return false;
        const parts = new URLSearchParams(hash);
        state.sort = parts.get('sort') || '';
        state.filter = search.value = parts.get('filter') || '';
        state.chosen = {};
        for (const [key, list] of Object.entries(lists)) {
            const value = parts.get(key);
            list.value = value === null ? '' : '=' + value;
            if (value !== null && keys.includes(key))
                state.chosen[key] = value;
        }
        for (const button of document.querySelectorAll('input[name=axis]'))
            button.checked = parts.has('axis') ? button.value === parts.get('axis') : button.checked;
        sortRows();
        filterRows();
        return !parts.has('axis');
    }

    function readControls() {
        state.filter = search.value;
        state.chosen = {};
        for (const [key, list] of Object.entries(lists))
            if (list.value)
                state.chosen[key] = list.value.slice(1);
        filterRows();
        tell();
    }

    makeControls();
    controls.addEventListener('input', readControls);
    controls.addEventListener('reset', () => setTimeout(readControls));
    controls.addEventListener('submit', event => event.preventDefault());
    heads.forEach((head, i) => head.firstElementChild.addEventListener('click', () => {
        state.sort = head.getAttribute('aria-sort') === 'ascending' ? '-' + keys[i] : keys[i];
        sortRows();
        tell();
    }));
    for (const button of document.querySelectorAll('input[name=axis]'))
        button.addEventListener('change', tell);
    const show = () => listen() && document.getElementById('cases').scrollIntoView();
    addEventListener('hashchange', show);
    filterRows();
    show();
})();
