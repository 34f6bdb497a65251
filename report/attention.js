// attention.js -- the maps, and what is shown of the character under the pointer or the focus.
const data = JSON.parse($('weights').textContent);
const chars = all('#text span'), cards = all('#next li'), buttons = all('.head'), T = chars.length;

// Each weight is one to three characters of an alphabet of 92: print_weight in attention_page.c writes them.
function decode(text) {
  const weights = new Float32Array(T * (T + 1) / 2);  // the lower triangle, row by row
  let at = 0;
  const digit = () => {
    const c = text.charCodeAt(at++);
    return (c === 33 ? 60 : c === 32 ? 92 : c) - 35;
  };
  for (let n = 0; n < weights.length; n++) {
    let w = digit();
    if (w >= 90) w = 636 + ((w - 90) * 92 + digit()) * 92 + digit();
    else if (w >= 84) w = 84 + (w - 84) * 92 + digit();
    weights[n] = w / data.steps;
  }
  return weights;
}

const heads = data.weights.map(decode);
const row = (h, i) => heads[h].subarray(i * (i + 1) / 2, (i + 1) * (i + 2) / 2);

let here = T - 1, chosen = heads.length === 1 ? 0 : -1;  // a character; a head, or -1 for the mean of all

function shown() {
  if (chosen >= 0) return row(chosen, here);
  const mean = new Float32Array(here + 1);
  for (let h = 0; h < heads.length; h++) row(h, here).forEach((w, j) => { mean[j] += w / heads.length; });
  return mean;
}

const symbol = t => cards[t].firstChild.textContent;
const place = button => `layer ${button.dataset.layer} head ${button.dataset.head}`;

// A pixel for each weight, as dense as its square root, and never quite empty; -1 for none.
function draw(canvas, width, height, weight) {
  const accent = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
  const [red, green, blue] = [1, 3, 5].map(k => parseInt(accent.slice(k, k + 2), 16));
  const image = new ImageData(width, height), d = image.data;
  for (let i = 0, k = 0; i < height; i++)
    for (let j = 0; j < width; j++) {
      d[k++] = red, d[k++] = green, d[k++] = blue;
      const w = weight(i, j);
      d[k++] = w < 0 ? 0 : 15 + 240 * Math.sqrt(w);
    }
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d').putImageData(image, 0, 0);
}

function paint() {
  buttons.forEach((b, h) => {
    draw(b.querySelector('.map canvas'), T, T, (i, j) => j > i ? -1 : heads[h][i * (i + 1) / 2 + j]);
  });
  show(here);
}

// Below the map of head h: the weight of character i on j.
function caption(h, i, j) {
  const weight = row(h, i)[j].toFixed(4);
  buttons[h].querySelector('.top').textContent = `${symbol(j)} ${weight}`;
  buttons[h].setAttribute('aria-label', `${place(buttons[h])}: ${spoken(symbol(i))} gathers ${weight} `
    + `from ${spoken(symbol(j))}, character ${j + 1}`);
}

function show(i) {
  here = i;
  const weights = shown(), whose = chosen < 0 ? 'the mean of all heads' : place(buttons[chosen]);
  const largest = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 5);
  const expected = guesses(cards[i]), place_in_text = `${i + 1} of ${T}`;
  chars.forEach((c, j) => {
    c.style.setProperty('--w', j > i ? 0 : Math.sqrt(weights[j]));
    c.classList.toggle('later', j > i);
    c.classList.toggle('here', j === i);
    cards[j].classList.toggle('here', j === i);
  });
  buttons.forEach((b, h) => {
    const mark = b.querySelector('.map i'), w = row(h, i);
    mark.style.top = `${100 * i / T}%`;
    mark.style.height = `${100 / T}%`;
    draw(b.querySelector('.strip'), T, 1, (_, j) => j > i ? -1 : w[j]);
    b.setAttribute('aria-pressed', h === chosen);
    caption(h, i, w.indexOf(Math.max(...w)));
  });
  $('which').textContent = symbol(i);
  $('whose').textContent = `${place_in_text}, shaded by ${whose}`;
  fill($('from'), largest.map(j => [symbol(j), weights[j], 4, false, j + 1]));
  fill($('then'), expected);
  chars[i].setAttribute('aria-label', `${spoken(symbol(i))}, ${place_in_text}; ${whose} gathers from `
    + largest.map(j => `${spoken(symbol(j))} ${weights[j].toFixed(2)}`).join(', ') + '; expected next: '
    + expected.map(([s, p]) => `${spoken(s)} ${p.toFixed(2)}`).join(', '));
  list();
}

// The exact weights, while somebody looks at them.
function list() {
  if (!$('exact').open) return;
  $('rows').replaceChildren(...Array.from(shown(), (w, j) => {
    const tr = document.createElement('tr');
    for (const text of [j + 1, symbol(j), w.toFixed(4)])
      tr.appendChild(document.createElement('td')).textContent = text;
    tr.cells[1].className = 'symbol';
    return tr;
  }));
}

walk($('text'), chars, show, () => { $('exact').open = !$('exact').open; });
$('exact').addEventListener('toggle', list);
chars.forEach((c, i) => {
  c.setAttribute('aria-label', `${spoken(symbol(i))}, ${i + 1} of ${T}`);
  cards[i].addEventListener('pointerenter', () => show(i));
});
buttons.forEach((b, h) => {
  const map = b.querySelector('.map');
  map.classList.toggle('fine', T > 64);
  map.addEventListener('pointermove', event => {
    const box = map.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / box.height * T);
    const j = Math.floor((event.clientX - box.left) / box.width * T);
    if (i < 0 || i >= T || j < 0 || j > i) return;
    if (i !== here) show(i);
    caption(h, i, j);
  });
  b.addEventListener('click', () => {
    chosen = chosen === h && heads.length > 1 ? -1 : h;
    show(here);
  });
});
for (const media of ['(prefers-color-scheme: dark)', 'print']) matchMedia(media).addEventListener('change', paint);
paint();
