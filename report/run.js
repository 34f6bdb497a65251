// Reads a chart to whoever points at it, or walks through it with the arrow keys; and loads the page anew while the run
// goes on. Without it the page shows all the same.
const rows = JSON.parse(document.getElementById('log').textContent).rows;
const read = document.getElementById('read');

// A row of the log in words.
function tell(row) {
  const [step, , train, val, rate] = row;
  let text = 'step ' + step.toLocaleString('en');
  if (train !== null) text += ' \u00b7 training ' + train.toFixed(4);
  if (val !== null) text += ' \u00b7 validation ' + val.toFixed(4);
  if (rate !== null) text += ' \u00b7 rate ' + rate.toExponential(2);
  read.textContent = text;
}

for (const figure of document.querySelectorAll('[data-x]')) {
  const svg = figure.querySelector('svg'), whole = svg.viewBox.baseVal.width;
  const [column, most, left, width, top, bottom] = ['x', 'most', 'left', 'width', 'top', 'bottom'].map(name => Number(figure.dataset[name]));
  const line = document.createElementNS(svg.namespaceURI, 'path');
  let at = rows.length - 1;
  line.setAttribute('class', 'level');
  svg.append(line);

  function show(i) {
    at = Math.max(0, Math.min(rows.length - 1, i));
    line.setAttribute('d', `M${left + width * rows[at][column] / most} ${top}V${bottom}`);
    tell(rows[at]);
  }
  // The row that is nearest to where the pointer is.
  function point(event) {
    const box = svg.getBoundingClientRect(), x = ((event.clientX - box.left) / box.width * whole - left) / width * most;
    let low = 0, high = rows.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle][column] < x) low = middle + 1;
      else high = middle;
    }
    show(low > 0 && x - rows[low - 1][column] < rows[low][column] - x ? low - 1 : low);
  }
  figure.tabIndex = 0;
  figure.addEventListener('pointermove', point);
  figure.addEventListener('pointerdown', point);
  figure.addEventListener('focus', () => show(at));
  figure.addEventListener('keydown', event => {
    const by = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -rows.length, End: rows.length}[event.key];
    if (!by) return;
    event.preventDefault();
    show(at + by);
  });
}

// What was chosen outlives the page; where nothing can be kept, it is as it was written.
const follow = document.getElementById('follow');
if (follow) {
  try { follow.checked = sessionStorage.getItem('follow') !== 'no'; } catch { }
  follow.addEventListener('change', () => {
    try { sessionStorage.setItem('follow', follow.checked ? 'yes' : 'no'); } catch { }
  });
  setInterval(() => { if (follow.checked && !document.hidden) location.reload(); }, 10000);
}
