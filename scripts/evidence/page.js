/* The evidence's page. `data`: problems with their runs by tolerance and solver, [ms or null, ending, error, iterations].
 * Everything is worked out again where the tolerance or the class changes. Failures have no time: of the mean they have
 * the limit, of the profile infinity. */
"use strict";
(() => {
    const data = JSON.parse(document.getElementById("data").textContent), main = document.querySelector("main");
    const classes = [...new Set(data.problems.map(p => p.class))].sort();
    const state = { tolerance: data.tolerances[data.tolerances.length - 1], kind: "all", sort: "problem",
                    down: false, words: "" };
    const SHIFT = 1; // ms, of the shifted geometric mean
    const CHUNK = 40; // rows
    const SAMPLES = 400; // of the bootstrap over problems
    const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31"];
    const DASHES = ["none", "7 4", "2 3", "9 3 2 3"];
    /* One colour a solver, whatever is shown. */
    const stroke = solver => { const i = data.solvers.indexOf(solver);
        return `stroke="${COLORS[i % COLORS.length]}" stroke-dasharray="${DASHES[Math.floor(i / COLORS.length) % DASHES.length]}"`; };
    const escape = text => String(text).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
    const broken = text => escape(text).replace(/([_:=/-])/g, "$1<wbr>"); // where a line may end
    const number = x => x === null ? "–" : x === 0 ? "0" : x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1)
        : x >= 0.01 ? x.toFixed(3 - Math.max(0, Math.ceil(Math.log10(x)))) : x.toExponential(1);
    const power = x => Number(x).toExponential().replace("e+", "e");

    const chosen = () => data.problems.filter(p => (state.kind === "all" || p.class === state.kind) && p.runs[state.tolerance]);
    const run = (problem, solver) => problem.runs[state.tolerance][solver];
    const time = (problem, solver) => { const r = run(problem, solver); return r && r[1] === "solved" ? r[0] : null; };
    /* The least time of the solvers that ran on that machine: times of two machines are not compared. */
    const best = (problem, machine) => data.solvers.reduce((b, s) => {
        const t = data.machine_of[s] === machine ? time(problem, s) : null;
        return t !== null && (b === null || t < b) ? t : b;
    }, null);
    const peak = (problem, solver) => best(problem, data.machine_of[solver]);
    const everywhere = data.processors.map((_, machine) => machine);

    /* Of a fixed seed, so that the page says the same each time. */
    function random(seed) {
        return () => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
            t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
    }
    function interval(values, statistic) {
        if (values.length < 2) return [NaN, NaN];
        const draw = random(1), found = [];
        for (let s = 0; s < SAMPLES; ++s)
            found.push(statistic(values.map(() => values[Math.floor(draw() * values.length)])));
        found.sort((a, b) => a - b);
        return [found[Math.floor(0.025 * SAMPLES)], found[Math.ceil(0.975 * SAMPLES) - 1]];
    }
    const mean = values => values.reduce((a, b) => a + b, 0) / values.length;
    const unlog = x => Math.exp(x) - SHIFT;

    /* A row a solver: share solved, mean time with the limit for failures, how often it is the best, how it fails. */
    function summarise(problems) {
        const fastest = everywhere.map(machine => new Map(problems.map(p => [p, best(p, machine)])));
        const rows = data.solvers.map(solver => {
            const tried = problems.filter(p => run(p, solver)), limit = data.limit * 1e3, endings = {};
            const logs = tried.map(p => Math.log((time(p, solver) ?? limit) + SHIFT));
            const done = tried.map(p => time(p, solver) === null ? 0 : 1);
            for (const p of tried)
                if (time(p, solver) === null) endings[run(p, solver)[1]] = (endings[run(p, solver)[1]] ?? 0) + 1;
            return { solver, tried: tried.length, share: mean(done), shares: interval(done, mean), mean: unlog(mean(logs)),
                     means: interval(logs, mean).map(unlog), endings, first: tried.filter(p => time(p, solver) !== null &&
                         time(p, solver) === fastest[data.machine_of[solver]].get(p)).length };
        }).filter(r => r.tried > 0);
        return rows.sort((a, b) => b.share - a.share || a.mean - b.mean);
    }

    function ranking(problems, rows) {
        const solvable = problems.filter(p => everywhere.some(machine => best(p, machine) !== null)).length;
        const first = everywhere.map(machine => {
            const least = problems.map(p => best(p, machine)), part = 100 * least.filter(t => t !== null).length / problems.length;
            const logs = least.map(t => Math.log((t ?? data.limit * 1e3) + SHIFT)), means = interval(logs, mean).map(unlog);
            return `<tr><th scope="row">the best of all, problem by problem${everywhere.length > 1
                ? ` <small>machine ${machine + 1}</small>` : ""}</th>
                <td class="share" style="--part:${part}%">${part.toFixed(1)} %</td><td class="number">${number(unlog(mean(logs)))}
                <small>[${means.map(number).join(", ")}]</small></td><td></td><td></td></tr>`;
        }).join("");
        const body = rows.map(r => `<tr><th scope="row">${broken(r.solver)}${everywhere.length > 1
                ? ` <small>machine ${data.machine_of[r.solver] + 1}</small>` : ""}</th><td class="share" style="--part:${(100 * r.share).toFixed(1)}%">${(100 * r.share).toFixed(1)} %
            <small>[${r.shares.map(x => (100 * x).toFixed(0)).join(", ")}]</small></td>
            <td class="number">${number(r.mean)} <small>[${r.means.map(number).join(", ")}]</small></td>
            <td class="number">${r.first}</td><td class="ends">${Object.entries(r.endings).sort((a, b) => b[1] - a[1])
                .map(([ending, count]) => `${count} ${escape(ending)}`).join(", ") || "–"}</td></tr>`).join("");
        return `<h2>Solvers</h2><p>${problems.length} problems, of which ${solvable} were solved by some solver. The mean time
            is the geometric one, shifted by ${SHIFT} ms, with the limit of ${data.limit} s in the place of a failure; in brackets
            95 % intervals, by drawing problems anew.${everywhere.length > 1 ? ` The times are of ${everywhere.length} machines,
            and those of two do not compare: fastest is who is so on its own, and the profile is over the fastest there.` : ""}</p><div class="scroll" tabindex="0"><table><thead><tr><th>solver</th>
            <th class="number">solved</th><th class="number">mean time [ms]</th><th class="number">fastest on</th>
            <th>how it fails</th></tr></thead><tbody>${first}${body}</tbody></table></div>`;
    }

    function byClass(rows) {
        const shares = (solver, kind) => {
            const tried = data.problems.filter(p => p.class === kind && p.runs[state.tolerance] && run(p, solver));
            return tried.length ? tried.filter(p => time(p, solver) !== null).length / tried.length : null;
        };
        const body = rows.map(r => `<tr><th scope="row">${broken(r.solver)}</th>${classes.map(kind => {
            const share = shares(r.solver, kind);
            return share === null ? '<td class="number">–</td>'
                : `<td class="share" style="--part:${(100 * share).toFixed(0)}%">${(100 * share).toFixed(0)}</td>`;
        }).join("")}</tr>`).join("");
        return `<h2>Share solved by class, in %</h2><div class="scroll" tabindex="0"><table><thead><tr><th>solver</th>
            ${classes.map(kind => `<th class="number">${escape(kind)} <small>${data.problems.filter(p => p.class === kind)
                .length}</small></th>`).join("")}</tr></thead><tbody>${body}</tbody></table></div>`;
    }

    /* Share of problems that a solver solves within a factor of the fastest (Dolan and Moré 2002). */
    function profile(problems, rows) {
        const width = 720, height = 320, left = 58, bottom = 40, top = 10, right = 12, most = 1e4;
        const x = ratio => left + (width - left - right) * Math.log(ratio) / Math.log(most);
        const y = share => top + (height - top - bottom) * (1 - share);
        const curves = rows.map(r => {
            const ratios = problems.map(p => { const t = time(p, r.solver); return t === null ? Infinity : Math.max(1, t / peak(p, r.solver)); })
                .filter(t => t <= most).sort((a, b) => a - b);
            let path = `M${x(1)},${y(0)}`;
            ratios.forEach((t, k) => { path += `H${x(t).toFixed(1)}V${y((k + 1) / problems.length).toFixed(1)}`; });
            return `<path d="${path}H${x(most)}" fill="none" ${stroke(r.solver)} stroke-width="2"/>`;
        });
        const grid = [1, 10, 100, 1e3, 1e4].map(t => `<line x1="${x(t)}" x2="${x(t)}" y1="${y(0)}" y2="${y(1)}" stroke="#ddd"/>
            <text x="${x(t)}" y="${height - 22}" text-anchor="${t === most ? "end" : "middle"}">${t}</text>`).join("") +
            [0, 0.25, 0.5, 0.75, 1].map(s => `<line x1="${left}" x2="${width - right}" y1="${y(s)}" y2="${y(s)}" stroke="#ddd"/>
            <text x="${left - 6}" y="${y(s) + 4}" text-anchor="end">${s}</text>`).join("");
        const legend = rows.map(r => `<li><svg width="30" height="10" aria-hidden="true"><line x1="0" x2="30" y1="5" y2="5"
            ${stroke(r.solver)} stroke-width="3"/></svg>
            ${escape(r.solver)}</li>`).join("");
        return `<h2>Performance profile</h2><div class="profile" tabindex="0"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-size="12"
            fill="currentColor" role="img" aria-label="Share of the problems solved within a factor of the fastest time">
            <text transform="translate(12 ${(height - bottom) / 2}) rotate(-90)" text-anchor="middle">share of the problems</text>
            ${grid}${curves.join("")}<text x="${(left + width) / 2}" y="${height - 5}" text-anchor="middle">time over that of
            the fastest solver</text></svg></div><ul class="legend">${legend}</ul>`;
    }

    const index = new Map(data.problems.map((p, i) => [p, i]));
    const contacts = p => p.sizes ? p.sizes.contacts : null;
    function sorted(problems) {
        const value = { problem: p => p.class + "/" + p.name, contacts, best: p => best(p, 0) }[state.sort] ?? (p => time(p, state.sort));
        const order = problems.map(p => [value(p) ?? Infinity, p]).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map(([, p]) => p);
        return state.down ? order.reverse() : order;
    }

    function matrix(rows) {
        const heading = (key, text, number) => `<th${number ? ' class="number"' : ""} aria-sort="${state.sort !== key ? "none"
            : state.down ? "descending" : "ascending"}"><button data-sort="${escape(key)}">${escape(text)}</button></th>`;
        return `<table><thead><tr>${heading("problem", "problem")}${heading("contacts", "contacts", true)}${heading("best", "fastest", true)}
            ${rows.map(r => heading(r.solver, r.solver, true)).join("")}</tr></thead><tbody></tbody></table>`;
    }
    function cells(problems, rows) {
        return problems.map(p => {
            const fastest = everywhere.map(machine => best(p, machine));
            return `<tr><th scope="row"><a href="#${p.hash}" data-problem="${index.get(p)}"
                >${broken(p.class + "/" + p.name)}</a></th><td class="number">${contacts(p) ?? "–"}</td>
                <td class="number">${fastest.map(number).join("; ")}</td>${rows.map(r => {
                    const it = run(p, r.solver);
                    return !it ? "<td></td>" : it[1] === "solved"
                        ? `<td class="number${it[0] === fastest[data.machine_of[r.solver]] ? " best" : ""}">${number(it[0])}</td>`
                        : `<td class="failed">${escape(it[1])}</td>`;
                }).join("")}</tr>`;
        }).join("");
    }

    function about(p) {
        const reached = data.solvers.map(s => [s, run(p, s)]).filter(([, r]) => r && r[2] !== null).sort((a, b) => a[1][2] - b[1][2])[0];
        const done = data.solvers.filter(s => time(p, s) !== null).sort((a, b) => data.machine_of[a] - data.machine_of[b] ||
            time(p, a) - time(p, b)), who = done[0];
        const sizes = p.sizes ? `${p.sizes.contacts} contacts, ${p.sizes.dofs} velocities, ${p.sizes.rows} rows` +
            (p.rank === null ? "" : `, W of rank ${p.rank}`) : "sizes not recorded";
        const picture = data.pictures[p.hash] ? `<img src="${data.pictures[p.hash]}" alt="the bodies, contacts and forces" loading="lazy">`
            : "";
        return `<h3>${broken(p.class + "/" + p.name)}</h3>${picture}<p>${sizes}.</p><p>${who ? `Fastest to ${power(state.tolerance)}:
            ${escape(who)}, ${number(time(p, who))} ms.` : "No solver got there."} ${reached ? `Smallest error:
            ${reached[1][2].toExponential(1)}, ${escape(reached[0])}.` : ""}</p><p class="note">SHA-256 ${p.hash}</p>
            <pre>${escape(["ncpbench solve", p.file, data.options[who ?? data.solvers[0]], "--tol", power(state.tolerance)].join(" "))}</pre>
            <form method="dialog"><button>close</button></form>`;
    }
    function open(p) {
        const dialog = document.querySelector("dialog");
        dialog.innerHTML = about(p);
        if (!dialog.open) dialog.showModal();
    }
    /* The address of a problem's part is its SHA-256, or the beginning. */
    function follow() {
        const hash = location.hash.slice(1), problem = hash.length >= 8 && data.problems.find(p => p.hash.startsWith(hash));
        if (problem) open(problem);
    }

    function cite() {
        const it = data.cite, of = data.collection;
        if (!it) return "";
        const where = it.doi ? ` https://doi.org/${it.doi}` : "";
        const which = of ? `, collection of ${of.problems} problems, SHA-256 of its list ${of.hash.slice(0, 16)}` : "";
        return `<h2>Cite as</h2><p>${escape(it.authors)}: <i>${escape(it.title)}</i>, version ${escape(it.version)}${which},
            ${escape(it.year)}.${escape(where)}</p><pre>@software{ncpbench,
  author = {${escape(`{${it.authors}}`)}},
  title = {${escape(it.title)}},
  version = {${escape(it.version)}},
  year = {${escape(it.year)}},${it.doi ? `\n  doi = {${escape(it.doi)}},` : ""}
  note = {${of ? `Collection of ${of.problems} problems, SHA-256 of its list ${of.hash.slice(0, 16)}` : "Evidence"}}
}</pre>`;
    }

    function filtered(problems) {
        const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
        return problems.filter(p => words.every(w => (p.class + "/" + p.name).toLowerCase().includes(w)));
    }

    function draw() {
        const problems = chosen(), rows = summarise(problems);
        const button = (group, value, text) => `<button data-${group}="${escape(value)}" aria-pressed="${state[group] === value}">
            ${escape(text)}</button>`;
        main.innerHTML = `<p class="lead">${data.problems.length} problems of frictional contact, ${data.solvers.length} solvers,
            judged by one measure that no unit bends (<code>step_error</code>), ${data.limit} s a case.</p>
            <div class="choices">error at most ${data.tolerances.map(t => button("tolerance", t, power(t))).join("")}</div>
            <div class="choices">problems ${["all", ...classes].map(k => button("kind", k, k)).join("")}</div>
            ${ranking(problems, rows)}${byClass(rows)}${profile(problems, rows)}<h2>Problems</h2><p>Times in ms, or how the solver
            ended; a heading sorts, a problem's name opens its picture, its sizes and the command that repeats it.</p><p><input
            type="search" placeholder="words of the name" aria-label="words of the name" value="${escape(state.words)}"> <span class="count note"></span></p>
            <div class="scroll cases" tabindex="0"></div><h2>Where the numbers are from</h2>
            <p class="note">${data.machines.map(escape).join("; ")}</p>${data.records.length ? `<p>The records: ${data.records
                .map(path => `<a href="${escape(path)}">${escape(path.replace("records/", ""))}</a>`).join(", ")}.</p>` : ""}${cite()}`;
        state.rows = rows;
        fill();
    }
    /* The matrix alone: what sorts or filters does not change the rest. Its rows come as they are scrolled to. */
    function fill() {
        const box = main.querySelector(".cases");
        state.list = sorted(filtered(chosen()));
        state.shown = 0;
        box.innerHTML = matrix(state.rows);
        main.querySelector(".count").textContent = `${state.list.length} problems`;
        more();
    }
    function more() {
        const box = main.querySelector(".cases");
        while (state.shown < state.list.length && box.scrollTop + 2 * box.clientHeight >= box.scrollHeight - 1) {
            box.querySelector("tbody").insertAdjacentHTML("beforeend", cells(state.list.slice(state.shown, state.shown + CHUNK), state.rows));
            state.shown += CHUNK;
        }
    }

    main.addEventListener("click", event => {
        const target = event.target.closest("[data-tolerance], [data-kind], [data-sort], [data-problem]");
        if (!target) return;
        const { tolerance, kind, sort, problem } = target.dataset;
        if (problem !== undefined) {
            event.preventDefault();
            history.replaceState(null, "", "#" + data.problems[problem].hash);
            open(data.problems[problem]);
            return;
        }
        if (tolerance) state.tolerance = tolerance;
        if (kind) state.kind = kind;
        if (!sort) return draw();
        state.down = state.sort === sort && !state.down;
        state.sort = sort;
        fill();
    });
    main.addEventListener("input", event => { state.words = event.target.value; fill(); });
    main.addEventListener("scroll", event => { if (event.target.matches(".cases")) more(); }, true);
    addEventListener("hashchange", follow);
    draw();
    follow();
})();
