// The page of `critscale report`: tables that sort and filter, plots, colours. It loads nothing.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Tables. A column is sorted by numbers where both cells are numbers, else by their texts.
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.key ?? cell.textContent.trim();
  };
  const order = (a, b) => {
    const x = Number(a), y = Number(b);
    if (a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
    return a.localeCompare(b, "en", { numeric: true });
  };
  const sort = (table, column) => {
    const heads = [...table.tHead.rows[0].cells];
    const down = heads[column].getAttribute("aria-sort") === "ascending";
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort((a, b) => (down ? -1 : 1) * order(a[0], b[0]));
    body.append(...rows.map((r) => r[1]));
  };
  const filter = (id) => {
    const words = document.querySelector(`[data-filter="${id}"]`).value.toLowerCase().split(/\s+/);
    const group = document.querySelector(`[data-menu="${id}"]`)?.value ?? "";
    let shown = 0;
    for (const row of document.getElementById(id).tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(words.every((w) => text.includes(w)) && (group === "" || row.dataset.group === group));
      if (!row.hidden) ++shown;
    }
    document.querySelector(`[data-count="${id}"]`).textContent = `${shown} rows`;
  };
  for (const table of all("table.sorts"))
    all("th button", table).forEach((button, i) => button.addEventListener("click", () => sort(table, i)));
  for (const input of all("[data-filter]")) input.addEventListener("input", () => filter(input.dataset.filter));
  for (const menu of all("[data-menu]")) menu.addEventListener("change", () => filter(menu.dataset.menu));

  // Plots: positions on an axis are x, log10 x or log10 log10 x.
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5c00"];
  const dashes = [[], [8, 4], [2, 3], [8, 3, 2, 3]];
  const raised = (k) => String(k).replace(/[-\d.]/g, (c) => "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹"["-.0123456789".indexOf(c)]);
  const number = (scale, at, digits) => {
    if (at == null) return "";
    if (scale === "linear") return Number(at.toPrecision(digits)).toString();
    if (scale === "log") return at > -5 && at < 7 ? Number((10 ** at).toPrecision(digits)).toString()
      : Number.isInteger(at) ? `10${raised(at)}`
      : Math.abs(at) < 1e4 ? `${Number((10 ** (at - Math.floor(at))).toPrecision(digits))}·10${raised(Math.floor(at))}`
      : `10^${Number(at.toPrecision(digits))}`;
    return `10^${Number((10 ** at).toPrecision(digits))}`;
  };
  const aligned = (curves) => {
    const xs = [...new Set(curves.flatMap((c) => c.points.filter(Boolean).map((p) => p[0])))].filter((x) => x != null);
    xs.sort((a, b) => a - b);
    const place = new Map(xs.map((x, i) => [x, i]));
    const data = [xs];
    for (const c of curves) {
      const ys = new Array(xs.length).fill(null);
      for (const p of c.points) if (p && p[0] != null) ys[place.get(p[0])] = p[1];
      data.push(ys);
    }
    return data;
  };
  // Curves are drawn piece by piece: pieces may begin where others end, and boundaries are vertical.
  const stroke = (u, curve, style) => {
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = style.colour;
    ctx.lineWidth = style.width * ratio;
    ctx.setLineDash(style.dash.map((d) => d * ratio));
    ctx.beginPath();
    let last = null, alone = false;
    const dot = () => { if (last && alone) { ctx.moveTo(last[0], last[1]); ctx.arc(last[0], last[1], 3 * ratio, 0, 7); } };
    for (const p of curve.points) {
      if (!p || p[0] == null || p[1] == null) { dot(); last = null; continue; }
      const at = [u.valToPos(p[0], "x", true), u.valToPos(p[1], "y", true)];
      alone = last === null;
      if (alone) ctx.moveTo(at[0], at[1]); else ctx.lineTo(at[0], at[1]);
      last = at;
    }
    ctx.stroke();
    ctx.restore();
  };
  const draw = (place) => {
    const given = JSON.parse(place.querySelector("script").textContent);
    const style = getComputedStyle(document.documentElement);
    const text = style.getPropertyValue("--text").trim(), line = style.getPropertyValue("--line").trim();
    const axis = (a) => ({
      label: a.label, stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, size: 64,
      values: (u, splits) => splits.map((v) => number(a.scale, v, 6)),
    });
    const data = aligned(given.curves);
    const styles = given.curves.map((c) => ({
      colour: c.role === "boundary" ? text : colours[c.style % colours.length],
      width: c.role === "series" ? 2 : 1.5,
      dash: c.role === "series" ? dashes[Math.floor(c.style / colours.length) % dashes.length] : [6, 4],
    }));
    const options = {
      width: Math.max(260, Math.min(960, place.clientWidth)), height: 340,
      scales: {
        x: { time: false, range: [given.x.lo, given.x.hi] },
        y: { range: given.y.lo < given.y.hi ? [given.y.lo, given.y.hi] : undefined },
      },
      axes: [axis(given.x), axis(given.y)],
      series: [
        { label: given.x.label, value: (u, v) => number(given.x.scale, v, 8) },
        ...given.curves.map((c, i) => ({
          label: c.label || "·", stroke: styles[i].colour, width: styles[i].width, paths: () => null,
          points: { show: c.role === "series" && c.points.length < 46, size: 5 },
          value: (u, v) => number(given.y.scale, v, 6),
        })),
      ],
      hooks: { draw: [(u) => given.curves.forEach((c, i) => { if (u.series[i + 1].show) stroke(u, c, styles[i]); })] },
    };
    place.querySelector(".uplot")?.remove();
    place.plot = new uPlot(options, data, place);
  };
  // The arrow keys move the pointer along the curves.
  const move = (place, by) => {
    const u = place.plot;
    const at = Math.max(0, Math.min(u.data[0].length - 1, (u.cursor.idx ?? (by > 0 ? -1 : u.data[0].length)) + by));
    u.setCursor({ left: u.valToPos(u.data[0][at], "x"), top: u.bbox.height / devicePixelRatio / 2 });
  };
  const plots = all(".plot");
  for (const place of plots) {
    draw(place);
    place.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (by) { move(place, by); e.preventDefault(); }
    });
  }
  let waiting;
  const again = () => { clearTimeout(waiting); waiting = setTimeout(() => plots.forEach(draw), 150); };
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; again(); } });

  // Colours: as the system has them, or one of the two.
  const button = document.getElementById("theme"), themes = ["", "light", "dark"];
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const next = themes[(themes.indexOf(root.dataset.theme ?? "") + 1) % themes.length];
    if (next) root.dataset.theme = next; else delete root.dataset.theme;
    button.textContent = `Colours: ${next || "as the system"}`;
    again();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  addEventListener("beforeprint", () => all("details").forEach((d) => { d.open = true; }));
})();
