// Draws the page from its data (page_data.c): verdicts, comparisons, endings, cases, problems, machines. The headings of
// the table of cases sort it, a text and one list a setting filter it. What is chosen stands in the page's address, as in
// #sort=-time&precond=ic0&filter=arch (-: the largest first), so that a link leads to it; axis=precond chooses the matrix
// of verdicts. Texts of records are escaped, whatever they hold.
'use strict';
(() => {
    const data = JSON.parse(document.getElementById('data').textContent);
    const section = name => document.getElementById(name);

    // Marks that turn the direction of writing around, and control characters, are shown as what cannot be.
    const escape = text => String(text).replace(/[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
        .replace(/[&<>"']/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;'})[c]);

    // Numbers with the digits that one reads; null is what is not known.
    const ratio = x => {
        if (x === null)
            return '–';
        const size = Math.abs(x);
        return x && (size < 1e-4 || size >= 1e9) ? x.toExponential(2) : size < 999.5 ? x ? x.toPrecision(3) : '0.00'
            : x.toFixed(0);
    };
    const milliseconds = seconds => ratio(seconds === null ? null : 1e3 * seconds);
    const error = x => x === null ? '–' : x === 0 ? '0' : x.toExponential(1).replace('.0e', 'e').replace('e+', 'e');
    const count = x => x === null ? '–' : String(x);
    const date = text => text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2 UTC');
    const number = x => x !== null && x === Math.floor(x) ? count(x) : ratio(x);

    const paragraph = (kind, text) => `<p class=${kind}>${text}`;
    const columns = (heads, row) => `<thead><tr>${heads.map(([text, kind]) =>
        `<th scope=col${kind ? ` class=${kind}` : ''}>${text}`).join('')}<tbody>${row}`;
    const table = (label, kind, content, id) => '<div class=scroll tabindex=0 role=region ' +
        `aria-label="${label}"><table${id ? ` id=${id}` : ''} class="${kind}">${content}</table></div>`;
    const heads = words => words.map(word => [word, 'number']);
    const cut = !data.cut ? '' : paragraph('note', `Rows stand here for the first ${data.problems.length} of
        ${data.problem_count} problems, ${data.rows} cases at most: more a browser would not open. All sums, verdicts and
        comparisons are over all of them, and <code>ncpbench report --csv</code> writes every case.`);

    function drawHeader() {
        const links = {curve: 'Over a setting', verdicts: 'Verdicts', comparisons: 'Comparisons', figures: 'Figures',
            drawn: 'More figures', endings: 'Endings', cases: 'Cases', problems: 'Problems', machine: 'Machine',
            command: 'Command'};
        const last = data.dates[1];
        document.querySelector('header').innerHTML = `<h1>${escape(data.title)}</h1>
            ${data.lead.map(text => paragraph('lead', escape(text))).join('')}
            <p class=summary><span><b>${data.count}</b> cases</span> <span><b>${data.problem_count}</b> problems</span>
            <span><b>${data.reached}</b> reach an error of <b>${error(data.tolerance)}</b></span>
            ${last ? `<span>measured <time datetime="${escape(last)}">${escape(date(last))}</time></span>` : ''}
            ${data.summary ? `<pre><code>${escape(data.summary.join('\n'))}</code></pre>` : ''}
            <nav aria-label=sections>${Object.entries(links).filter(([id]) => section(id))
                .map(([id, words]) => `<a href="#${id}">${words}</a>`).join(' ')}</nav>`;
    }

    // "method" means all settings that vary, which have columns of their own.
    const isSetting = axis => axis.name !== 'method';

    // The matrix of an axis: problems down and values across, or the other way round where there are more values.
    // A cell says its verdict in words and numbers, its shade repeats it; it leads to the cases that it was made of.
    const shade = {best: () => 'best', same: () => 'same', failed: () => 'fail',
        slower: r => r <= 1.5 ? 'w1' : r <= 3 ? 'w2' : r <= 10 ? 'w3' : 'w4'};
    function tooltip(cell, item) {
        const [value, low, high] = cell.ratio.map(ratio), apart = cell.ratio[1] === null;
        return data.axes.map((axis, a) => !isSetting(axis) || item.of[a] < 0 ? ''
            : `${axis.name} ${axis.values[item.of[a]]}\n`).join('') + `${item.ending}, error ${error(item.error)}` +
            (cell.kind === 'same' || (cell.kind === 'slower' && !apart) ? `\n${value} [${low}, ${high}] times the best time`
                : cell.kind === 'slower' ? '\nno interval: not timed in turn with the best' : '');
    }

    // The arithmetic of a case that is not in the first one's: a cell may be of another than its neighbours.
    function otherPrecision(a, item) {
        const p = data.axes.findIndex(axis => axis.name === 'precision');
        return p >= 0 && p !== a && item.of[p] > 0 ? ', ' + escape(data.axes[p].values[item.of[p]]) : '';
    }

    function drawCell(a, problem, value, cell) {
        if (!cell)
            return '<td class=none>';
        const item = data.cases[cell.case], axis = data.axes[a], link = encodeURIComponent;
        const to = `#problem=${link(data.problems[problem])}` +
            (isSetting(axis) ? `&${axis.name}=${link(axis.values[value])}` : '');
        return `<td class=${(shade[cell.kind] || (() => 'none'))(cell.ratio[0])} title="${escape(tooltip(cell, item))}">` +
            `<a href="${escape(to)}">${escape(cell.text)}</a><small>` + (item.time === null ? `error ${error(item.error)}`
                : `${milliseconds(item.time)} ms${otherPrecision(a, item)}`) + '</small>';
    }

    const sums = [['reach it', s => `${s.reached} of ${s.tried}`], ['fastest', s => `${s.fastest} of ${s.tried}`],
        ['median', s => !s.tried ? '–' : s.slowdown === null ? '∞' : `${ratio(s.slowdown)} ×`]];

    function drawMatrix(a) {
        const {name: axis, values: names} = data.axes[a], {cells, values, best} = data.verdicts[a], first = values[best];
        const flipped = names.length > 8 && names.length > data.problem_count;
        const at = new Map(cells.map(cell => [cell.problem * names.length + cell.value, cell]));
        const [down, across] = flipped ? [names, data.problems] : [data.problems, names];
        const cell = (p, v) => drawCell(a, p, v, at.get(p * names.length + v));
        const row = (name, i) => `<tr><th scope=row>${escape(name)}` +
            across.map((_, j) => flipped ? cell(j, i) : cell(i, j)).join('') +
            (flipped ? sums.map(([, write]) => `<td>${write(values[i])}`).join('') : '');
        const sentence = first.fastest && names.length > 1 ? paragraph('verdict', `<strong>${escape(names[best])}</strong>
            is the fastest, or cannot be told from it, on ${first.fastest} of ${first.tried} problems, and reaches the
            tolerance on ${first.reached}${first.slowdown === null ? '.'
                : `; over them its median time is ${ratio(first.slowdown)} times the best.`}`) : '';
        return sentence + cut + table(`verdicts by ${axis}`, 'verdicts', columns(
            [[flipped ? axis : 'problem'], ...across.map(name => [escape(name)]),
                ...flipped ? sums.map(([name]) => [name, 'sum']) : []], down.map(row).join('')) +
            (flipped ? '' : `<tfoot>${sums.map(([name, write]) => `<tr><th scope=row>${name}` +
                values.map(value => `<td>${write(value)}`).join('')).join('')}`));
    }

    function drawVerdicts() {
        section('verdicts').innerHTML = '<h2>Verdicts</h2>' + data.axes.map((axis, a) =>
            `<input type=radio name=axis id=axis${a} value="${axis.name}"${a ? '' : ' checked'}>` +
            `<label for=axis${a}>${axis.name}</label> `).join('') + '<div class=matrix></div>' +
            paragraph('note', `The cells of a problem agree in all other settings that they read: of several such families
                the one with the most values. A cell has its time to the tolerance over that of the fastest among them, and
                that time. “nothing alike”: it was not tried at these settings, and counts nowhere. “≈”: the 95 % interval
                of the ratio holds 1, so that the two cannot be told apart; in parentheses: they were not timed in turn, so
                that there is no interval. What does not reach the tolerance stands with its ending and the error that was
                left. In the median over the problems a failure is infinitely slow. A cell leads to its cases.`) +
            '<p class=legend aria-hidden=true><span class=best>best</span> <span class=same>≈</span> ' +
            '<span class=w1>to 1.5 ×</span> <span class=w2>to 3 ×</span> <span class=w3>to 10 ×</span> ' +
            '<span class=w4>above</span> <span class=fail>failed</span>';
        showMatrix();
    }

    const chosenAxis = () => document.querySelector('input[name=axis]:checked');
    const showMatrix = () =>
        document.querySelector('.matrix').innerHTML = drawMatrix(Number(chosenAxis().id.slice('axis'.length)));

    // Each value against a baseline, as `ncpbench compare --json` tells it; the pairs are drawn when they are asked for.
    const interval = it => it === null ? '<td class=n>–'
        : `<td class=n>${ratio(it.value)} <small>[${ratio(it.low)}, ${ratio(it.high)}]</small>`;
    const numeric = texts => texts.map(text => `<td class=n>${text}`).join('');

    function drawPart(it, part) {
        const {pairs, better, worse, undecided, a_fails, b_fails, neither} = part.tally;
        const kind = {better: 'good', worse: 'bad'}[part.verdict] || 'open';
        return `<tr><th scope=row>${escape(it.a)}<th>${escape(it.b)}<td>${part.kind}<td class="verdict ${kind}">
            ${data.words[part.verdict]}${numeric([pairs, better, worse, undecided, a_fails, b_fails, neither])}` +
            interval(part.speed_up) + interval(part.iterations);
    }

    function drawPair(pair) {
        const {a, b} = pair, both = (name, write) => numeric([write(a[name]), write(b[name])]);
        return `<tr><th scope=row>${escape(pair.label ?? pair.problem)}<td>${data.pair_words[pair.verdict]}` +
            interval(pair.speed_up) + both('time', milliseconds) + both('iterations', count) +
            both('linear_iterations', count) + both('setup', milliseconds) + both('application', milliseconds);
    }

    const parts = it => [it.compared.steps, it.compared.linear_systems].filter(Boolean);

    function drawPairs(details) {
        const pairs = parts(data.comparisons[details.dataset.comparison]).flatMap(part => part.pairs).slice(0, data.rows);
        const numbers = ['speed-up A/B', 'A [ms]', 'B [ms]', 'A iterations', 'B', 'A linear iterations', 'B',
            'A set-up [ms]', 'B', 'A applying [ms]', 'B'];
        details.insertAdjacentHTML('beforeend', table('pairs', 'data', columns([['pair'], ['verdict'], ...heads(numbers)],
            pairs.map(drawPair).join(''))));
    }

    function drawComparisons() {
        const all = data.comparisons, where = section('comparisons');
        if (!all.length)
            return where.remove();
        const numbers = ['pairs', 'B better', 'worse', 'undecided', 'only A fails', 'only B fails', 'both', 'speed-up A/B',
            'iterations A/B'];
        const row = it => it.reason ? `<tr><th scope=row>${escape(it.a)}<th>${escape(it.b)}<td colspan=11 class=open>` +
            escape(it.reason) : parts(it).map(part => drawPart(it, part)).join('');
        where.innerHTML = `<h2>Comparisons by ${data.axes[0].name}</h2>` +
            paragraph('note', `Cases are paired that agree in all other settings. B is better on a pair where the whole 95 %
                interval of the ratio of times lies above 1. Means are geometric, over the pairs in which both reach the
                tolerance, with the interval over such problems; a failure is in no mean, so that it stands in a column of
                its own.`) +
            (all.length === data.most_comparisons ? paragraph('note', `Those of the first ${all.length} values.`) : '') +
            table('comparisons', 'data', columns([['A'], ['B'], ['of'], ['verdict on B'], ...heads(numbers)],
                all.map(row).join(''))) + cut +
            all.map((it, i) => it.reason ? '' : `<details data-comparison=${i}><summary>${escape(it.b)} against
                ${escape(it.a)}: ${parts(it).reduce((sum, part) => sum + part.tally.pairs, 0)} pairs</summary></details>`).join('');
        for (const details of where.querySelectorAll('details'))
            details.addEventListener('toggle', () => drawPairs(details), {once: true});
    }

    const meanings = {converged: 'reached the tolerance of its own', accuracy_floor: 'reached what its arithmetic allows',
        iteration_limit: 'was still falling when the iterations ran out',
        stagnated: 'the error stays where it is, creeps or wanders', cycling: 'the error repeats itself',
        diverged: 'the error grew, or is no number', breakdown: 'met a value that it could not use',
        timed_out: 'took longer than allowed', out_of_memory: 'needs more memory than allowed',
        unsupported: 'cannot run, for the reason in its detail', crashed: 'its process died',
        infeasible: 'the problem’s constraints contradict each other'};

    function drawEndings() {
        const others = data.count - Object.values(data.endings).reduce((sum, [cases]) => sum + cases, 0);
        const row = name => `<tr><th scope=row><a href="#ending=${name}">${name}</a>${numeric(data.endings[name])}` +
            `<td>${meanings[name] ?? ''}`;
        const names = Object.keys({...meanings, ...data.endings}).filter(name => data.endings[name]);
        section('endings').innerHTML = '<h2>Endings</h2>' + table('endings', 'data', columns([['ending'], ['cases', 'number'],
            ['reach the tolerance', 'number'], ['meaning']], names.map(row).join('') +
            (others ? `<tr><th scope=row>others<td class=n>${others}<td><td>endings that this version does not know` : ''))) +
            (!data.reasons.length ? '' : '<p>Why cases failed to run:<ul>' +
                data.reasons.map(it => `<li>${it.cases}: ${escape(it.text)}`).join('') + (!data.other_reasons ? ''
                    : `<li>${data.other_reasons} for other reasons, in the column “detail” below`) + '</ul>');
    }

    // Values of a setting against the best, as `ncpbench try --json` tells them, above all else.
    function drawPoint(point) {
        const kind = point.not_told_from_the_best ? 'good' : point.verdict === 'worse' ? 'bad' : 'open';
        return `<tr><th scope=row>${escape(point.value)}${point.usual ? ' (otherwise)' : ''}<td class="verdict ${kind}">` +
            escape(point.words) + numeric([point.solved, point.cases]) + interval(point.time) +
            numeric([ratio(point.iterations), ratio(point.linear_iterations)]) + `<td>${escape(point.reason ?? '')}`;
    }

    function drawCurve() {
        const curve = data.curve, where = section('curve');
        if (!curve)
            return;
        const numbers = ['solves', 'of', 'time / the best’s', 'iterations', 'linear iterations'];
        const part = (name, it) => !it ? '' : `<h3>On ${name}</h3><p>${escape(it.sentence)}` + table(name, 'data',
            columns([[escape(curve.setting)], ['against the best'], ...heads(numbers), ['why it fails']],
                it.points.map(drawPoint).join('')));
        where.insertAdjacentHTML('afterbegin', `<h2>Over ${escape(curve.setting)} of ${escape(curve.of)}</h2>`);
        where.insertAdjacentHTML('beforeend', part('whole steps', curve.steps) +
            part('linear systems', curve.linear_systems));
        document.querySelector('main').prepend(where);
    }

    // Columns of the table of cases: those of axes have a list of their values to choose from. How a case ended comes
    // before them, however many there are: it stands in the window.
    const results = [['error', 'error', error], ['time', 'time to tol [ms]', milliseconds],
        ['iterations', 'iterations', count]];
    const others = [['spread', 'spread [%]', x => ratio(x === null ? null : 100 * x)],
        ['setup', 'set-up [ms]', milliseconds], ['linear_iterations', 'linear iterations', count],
        ['whole', 'whole run [ms]', milliseconds]];

    function drawCase(item) {
        const values = columns => numeric(columns.map(([key, , write]) => write(item[key])));
        return `<tr><th scope=row>${escape(data.problems[item.problem])}` +
            `<td${item.iterations === null ? ' class=bad' : ''}>${escape(item.ending)}` + values(results) +
            data.axes.map((axis, a) =>
                !isSetting(axis) ? '' : `<td>${item.of[a] < 0 ? '–' : escape(axis.values[item.of[a]])}`).join('') +
            values(others) + `<td>${escape(item.detail)}`;
    }

    function drawCases() {
        const heading = (key, words, marks) => `<th scope=col data-key="${key}"${marks} aria-sort=none>` +
            `<button type=button>${words}</button>`;
        const headings = columns => columns.map(([key, words]) => heading(key, words, ' class=number')).join('');
        const common = Object.entries(data.common).map(([name, value]) => `${name} <b>${escape(value)}</b>`);
        section('cases').innerHTML = `<h2>${data.cut ? 'Of' : 'All'} ${data.count} cases</h2>` +
            paragraph('note', `Times are medians over the repetitions, to an error of ${error(data.tolerance)}; spread is what
                lies between their least and their largest, over the median. Iterations and linear iterations are those to
                that error. The headings sort.`) +
            (common.length ? paragraph('note', `The same in all cases that read it: ${common.join(' · ')}`) : '') + cut +
            '<form id=controls></form>' + table('cases', 'data', '<thead><tr>' +
            heading('problem', 'problem', ' data-choice') + heading('ending', 'ending', ' data-choice') +
            headings(results) + data.axes.map(axis =>
                isSetting(axis) ? heading(axis.name, axis.name, ' data-choice') : '').join('') +
            headings(others) + heading('detail', 'detail', '') +
            `<tbody>${data.cases.slice(0, data.rows).map(drawCase).join('')}`, 'case-table');
    }

    function drawProblems() {
        const words = ['velocities', 'contacts', 'bilateral rows', 'rows', 'rows / velocities', 'rank deficiency',
            'mass ratio'];
        section('problems').innerHTML = '<h2>Problems</h2>' + cut + table('problems', 'data', columns([['problem'],
            ...heads(words), ['file'], ['SHA-256 of its content']], data.contents.map(it => '<tr><th scope=row>' +
            escape(it.name) + numeric(it.numbers.map(number)) + `<td>${escape(it.file)}<td class=hash>${escape(it.hash)}`)
            .join('')));
    }

    // Where the numbers come from: each kind of machine and build with the number of its cases.
    const facts = {
        Machine: {host: 'host', cpu: 'processor', host_threads: 'threads', quota: 'processors by the container\'s quota',
            simd: 'vector instructions of products', governor: 'frequency governor', memory: 'memory', gpu: 'card',
            kernel: 'kernel'},
        Build: {version: 'ncpbench', commit: 'commit', fingerprint: 'fingerprint of sources and flags',
            compiler: 'compiler', flags: 'flags', blas: 'BLAS', hdf5: 'HDF5', cuda: 'CUDA'},
    };
    const fact = (name, value) => value === undefined || value === null || value === '' ? '–'
        : name === 'memory' && typeof value === 'number' ? `${ratio(value / 2 ** 30)} GiB` : escape(value);

    function drawKinds(heading, kinds) {
        const row = (words, cells) => `<tr><th scope=row>${words}${cells.map(cell => `<td>${cell}`).join('')}`;
        return `<h3>${heading}${kinds.length > 1 ? 's' : ''}</h3>` + table(heading.toLowerCase(), 'data facts',
            '<tbody>' + Object.entries(facts[heading]).map(([name, words]) =>
                row(words, kinds.map(kind => fact(name, kind.facts[name])))).join('') +
            row('cases', kinds.map(kind => kind.cases)));
    }

    function drawMachine() {
        const [first, last] = data.dates, [least, most] = data.load;
        section('machine').innerHTML = '<h2>Machine and build</h2><p>' + (!first ? '' : first === last
            ? `The sweep began at ${escape(date(first))}. `
            : `The sweeps began between ${escape(date(first))} and ${escape(date(last))}. `) + (least === null ? ''
            : `The mean load of the minute before a record was written, its own case included, was ${ratio(least)} to
               ${ratio(most)}.`) + data.control.map(line => `<p>Times, ${escape(line)}.`).join('') +
            drawKinds('Machine', data.machines) + drawKinds('Build', data.builds);
    }

    // A word of a command as a shell reads it back.
    const quoted = word => /^[\w+.\/=:,@%-]+$/.test(word) ? word : `'${word.replace(/'/g, '\'\\\'\'')}'`;

    function drawCommand() {
        section('command').innerHTML = '<h2>How it was made</h2>' + (data.files.length ? '<p>Records of ' +
            data.files.map(file => `<code>${escape(file)}</code>`).join(', ') +
            '. Records hold all settings of a case, and no command line.' : '') + (data.command.length ? '<p>This page:' +
            `<pre><code>${escape(['ncpbench', ...data.command.map(quoted)].join(' '))}</code></pre>` : '') +
            `<p>Written by ${escape(data.generator)}.`;
    }

    drawCurve();
    drawVerdicts();
    drawComparisons();
    drawEndings();
    drawCases();
    drawProblems();
    drawMachine();
    drawCommand();
    drawHeader();

    // From here on the table of cases is the reader's.
    const caseTable = section('case-table');
    const controls = section('controls');
    const body = caseTable.tBodies[0];
    const headings = [...caseTable.tHead.rows[0].cells];
    const keys = headings.map(head => head.dataset.key);
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
        headings.forEach((head, column) => {
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
    }

    // What is not a number comes last, whichever way the numbers run.
    function compare(column, sign) {
        const numeric = headings[column].classList.contains('number');
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
        headings.forEach((head, i) => head.setAttribute('aria-sort',
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
            button.checked = button.checked || button.value === parts.get('axis');
        showMatrix();
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
    headings.forEach((head, i) => head.firstElementChild.addEventListener('click', () => {
        state.sort = head.getAttribute('aria-sort') === 'ascending' ? '-' + keys[i] : keys[i];
        sortRows();
        tell();
    }));
    for (const button of document.querySelectorAll('input[name=axis]'))
        button.addEventListener('change', () => {
            showMatrix();
            tell();
        });
    const show = () => listen() && section('cases').scrollIntoView();
    addEventListener('hashchange', show);
    filterRows();
    show();
})();
