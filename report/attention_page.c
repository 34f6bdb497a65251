#include "attention_page.h"
#include "page.h"
#include "token_text.h"
#include <string.h>

static const char STYLE[] =
    ":root{--a:11 98 196;--most:.6}@media(prefers-color-scheme:dark){:root{--a:108 176 255;--most:.5}}"
    "@media print{:root{--a:11 98 196;--most:.6}}\n"
    "main{max-width:88rem}code{overflow-wrap:anywhere}\n"
    ".split{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;margin-top:1rem}\n"
    "@media screen and (min-width:64rem){.split{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}"
    ".reading{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:3px}}\n"
    "#text{font-size:1.1rem;line-height:1.8;padding:.5rem .75rem;background:var(--soft);border-radius:6px;"
    "margin:0}\n"
    "#text span{background:rgb(var(--a)/calc(var(--w,0)*var(--most)));border-radius:3px;padding:.15em "
    "0;cursor:pointer}\n"
    "#text .later{color:var(--faint)}#text .hex{font-size:.7em;margin:0 .15em}\n"
    "#text .here{outline:2px solid var(--second);outline-offset:0}\n"
    ".now{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9.5rem),1fr));gap:0 1.5rem}\n"
    ".now h3{font-size:1rem;margin:.5rem 0 .2rem}.now ol{list-style:none;margin:0;padding:0}\n"
    ".now li{display:grid;grid-template-columns:2rem 1fr 4rem;align-items:center;line-height:1.6}\n"
    ".now b,.next b,.next span,.top,td.c{font-family:ui-monospace,monospace}\n"
    ".now i{height:.7em;border-radius:2px;background:rgb(var(--a));width:calc(var(--w)*100%);min-width:1px}\n"
    ".now em{font-style:normal;text-align:right;font-variant-numeric:tabular-nums}.now .hit b,.next "
    ".hit{color:var(--third);"
    "text-decoration:underline;text-underline-offset:.2em}\n"
    "h2{margin:0 0 .4rem}.layer+.layer{margin-top:1.2rem}\n"
    ".heads{display:grid;grid-template-columns:repeat(auto-fit,minmax(6.1rem,1fr));gap:.6rem}\n"
    ".head{font:inherit;color:inherit;text-align:left;background:none;border:1px solid "
    "var(--line);border-radius:6px;"
    "padding:.3rem;min-width:0;max-width:34rem;cursor:pointer}\n"
    ".head[aria-pressed=true]{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}\n"
    ".map{position:relative;display:block}"
    ".map canvas{background:linear-gradient(to top right,var(--soft) 50%,transparent 50%)}\n"
    ".head canvas{display:block;width:100%;image-rendering:pixelated}.map canvas{aspect-ratio:1}"
    ".fine canvas{image-rendering:auto}\n"
    ".map i{position:absolute;left:0;right:0;min-height:2px;outline:1px solid "
    "var(--second);pointer-events:none}\n"
    ".strip{height:.6rem;margin:.3rem 0 .1rem;background:var(--soft)}\n"
    ".name,.top{display:block;font-size:.8rem;line-height:1.4;white-space:nowrap}\n"
    ".next{list-style:none;margin:.5rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.5rem .25rem}\n"
    ".next li{width:3.7rem;padding:.1rem .25rem;border:1px solid "
    "transparent;border-radius:4px;break-inside:avoid}\n"
    ".next li.here{border-color:var(--second)}\n"
    ".next b,.next span{display:block;line-height:1.35}.next b{border-bottom:1px solid var(--line)}\n"
    ".next span{font-size:.8rem;display:flex;justify-content:space-between;"
    "background:rgb(var(--a)/calc(var(--w)*var(--most)))}.next small{font-size:.75rem}\n"
    ".rows{max-height:22rem;overflow:auto}#exact summary{cursor:pointer}"
    "@media print{.rows{max-height:none}.split{display:block}}\n";

static const char SCRIPT[] =
    "'use strict';\n"
    "const $ = id => document.getElementById(id), all = (selector, of = document) => "
    "[...of.querySelectorAll(selector)];\n"
    "const data = JSON.parse($('weights').textContent);\n"
    "const chars = all('#text span'), cards = all('#next li'), buttons = all('.head'), T = chars.length;\n"
    "const symbol = t => cards[t].querySelector('b').textContent;\n"
    "const spoken = s => ({'\\u2423': 'space', '\\u240a': 'new line', '\\u2409': 'tab'})[s] || s;\n"
    "const place = b => `layer ${b.dataset.layer} head ${b.dataset.head}`;\n"
    "\n"
    "// Each weight is one to three characters of an alphabet of 92; the lower triangle, row by row.\n"
    "function decode(text) {\n"
    "  const weights = new Uint16Array(T * (T + 1) / 2);\n"
    "  let at = 0;\n"
    "  const digit = () => { const c = text.charCodeAt(at++); return (c === 33 ? 60 : c === 32 ? 92 : c) - "
    "35; };\n"
    "  for (let n = 0; n < weights.length; n++) {\n"
    "    const first = digit();\n"
    "    if (first < 84) weights[n] = first;\n"
    "    else if (first < 90) weights[n] = 84 + (first - 84) * 92 + digit();\n"
    "    else { const second = digit(); weights[n] = 636 + ((first - 90) * 92 + second) * 92 + digit(); }\n"
    "  }\n"
    "  return weights;\n"
    "}\n"
    "const heads = data.weights.map(decode);\n"
    "const row = (h, i) => Array.from(heads[h].subarray(i * (i + 1) / 2, (i + 1) * (i + 2) / 2), w => w / "
    "data.steps);\n"
    "const mean = i => heads.map((_, h) => row(h, i)).reduce((a, b) => a.map((x, j) => x + b[j])).map(x => x "
    "/ heads.length);\n"
    "const largest = weights => weights.reduce((best, w, j) => w > weights[best] ? j : best, 0);\n"
    "\n"
    "let here = T - 1, chosen = heads.length === 1 ? 0 : -1;\n"
    "\n"
    "// A pixel for each weight, as dense as its square root.\n"
    "function draw(canvas, width, height, weight) {\n"
    "  const hex = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();\n"
    "  const image = new ImageData(width, height), ink = [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), "
    "16));\n"
    "  for (let i = 0; i < height; i++)\n"
    "    for (let j = 0; j < width; j++) image.data.set([...ink, 255 * Math.sqrt(weight(i, j))], 4 * (i * "
    "width + j));\n"
    "  canvas.width = width;\n"
    "  canvas.height = height;\n"
    "  canvas.getContext('2d').putImageData(image, 0, 0);\n"
    "}\n"
    "function paint() {\n"
    "  buttons.forEach((b, h) => draw(b.querySelector('.map canvas'), T, T,\n"
    "    (i, j) => j > i ? 0 : heads[h][i * (i + 1) / 2 + j] / data.steps));\n"
    "  show(here);\n"
    "}\n"
    "\n"
    "function fill(list, entries) {\n"
    "  list.replaceChildren(...entries.map(([what, share, digits, hit]) => {\n"
    "    const li = document.createElement('li');\n"
    "    for (const [name, text] of [['b', what], ['i', ''], ['em', share.toFixed(digits)]])\n"
    "      li.appendChild(document.createElement(name)).textContent = text;\n"
    "    li.style.setProperty('--w', share);\n"
    "    li.className = hit ? 'hit' : '';\n"
    "    return li;\n"
    "  }));\n"
    "}\n"
    "function caption(h, i, j) {\n"
    "  const b = buttons[h], weight = row(h, i)[j].toFixed(4);\n"
    "  b.querySelector('.top').textContent = `${symbol(j)} ${weight}`;\n"
    "  b.setAttribute('aria-label', `${place(b)}: ${spoken(symbol(i))} gathers ${weight} from "
    "${spoken(symbol(j))}, character ${j + 1}`);\n"
    "}\n"
    "const guesses = i => all('span', cards[i]).map(s => [s.firstChild.textContent, "
    "+s.lastChild.textContent, 3, s.className === 'hit']);\n"
    "\n"
    "// The character i: its row in every head, what was expected after it.\n"
    "function show(i) {\n"
    "  here = i;\n"
    "  const weights = chosen < 0 ? mean(i) : row(chosen, i), whose = chosen < 0 ? 'the mean of all heads' : "
    "place(buttons[chosen]);\n"
    "  const order = weights.map((w, j) => [w, j]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 5);\n"
    "  chars.forEach((c, j) => {\n"
    "    c.style.setProperty('--w', j > i ? 0 : Math.sqrt(weights[j]));\n"
    "    c.classList.toggle('later', j > i);\n"
    "    c.classList.toggle('here', j === i);\n"
    "    c.tabIndex = j === i ? 0 : -1;\n"
    "    cards[j].classList.toggle('here', j === i);\n"
    "  });\n"
    "  buttons.forEach((b, h) => {\n"
    "    const line = b.querySelector('.map i'), weights = row(h, i);\n"
    "    line.style.top = `${100 * i / T}%`;\n"
    "    line.style.height = `${100 / T}%`;\n"
    "    draw(b.querySelector('.strip'), T, 1, (_, j) => weights[j] || 0);\n"
    "    b.setAttribute('aria-pressed', h === chosen);\n"
    "    caption(h, i, largest(weights));\n"
    "  });\n"
    "  $('whose').textContent = whose;\n"
    "  $('which').textContent = `${symbol(i)}, ${i + 1} of ${T}`;\n"
    "  fill($('from'), order.map(([w, j]) => [symbol(j), w, 4]));\n"
    "  fill($('then'), guesses(i));\n"
    "  chars[i].setAttribute('aria-label', `${spoken(symbol(i))}, ${i + 1} of ${T}; ${whose} gathers from `\n"
    "    + order.map(([w, j]) => `${spoken(symbol(j))} ${w.toFixed(2)}`).join(', ')\n"
    "    + '; expected next: ' + guesses(i).map(([s, p]) => `${spoken(s)} ${p.toFixed(2)}`).join(', '));\n"
    "  list();\n"
    "}\n"
    "function list() {\n"
    "  if (!$('exact').open) return;\n"
    "  const weights = chosen < 0 ? mean(here) : row(chosen, here);\n"
    "  $('rows').replaceChildren(...weights.map((w, j) => {\n"
    "    const tr = document.createElement('tr');\n"
    "    for (const text of [j + 1, symbol(j), w.toFixed(4)]) "
    "tr.appendChild(document.createElement('td')).textContent = text;\n"
    "    tr.cells[1].className = 'c';\n"
    "    return tr;\n"
    "  }));\n"
    "}\n"
    "\n"
    "// In the line above or below, the character that is nearest.\n"
    "function beside(i, way) {\n"
    "  const line = k => chars[k].offsetTop, x = k => chars[k].offsetLeft;\n"
    "  let k = i, best = i;\n"
    "  while (k + way >= 0 && k + way < T && line(k) === line(i)) k += way;\n"
    "  if (line(k) === line(i)) return i;\n"
    "  for (best = k; k >= 0 && k < T && line(k) === line(best); k += way)\n"
    "    if (Math.abs(x(k) - x(i)) < Math.abs(x(best) - x(i))) best = k;\n"
    "  return best;\n"
    "}\n"
    "$('text').addEventListener('keydown', event => {\n"
    "  const to = {ArrowLeft: () => here - 1, ArrowRight: () => here + 1, ArrowUp: () => beside(here, -1),\n"
    "    ArrowDown: () => beside(here, 1), Home: () => 0, End: () => T - 1}[event.key];\n"
    "  if (event.key === 'Enter' || event.key === ' ') $('exact').open = !$('exact').open;\n"
    "  else if (!to || event.altKey || event.ctrlKey || event.metaKey) return;\n"
    "  else chars[Math.max(0, Math.min(T - 1, to()))].focus();\n"
    "  event.preventDefault();\n"
    "});\n"
    "chars.forEach((c, i) => {\n"
    "  c.setAttribute('aria-label', `${spoken(symbol(i))}, ${i + 1} of ${T}`);\n"
    "  for (const kind of ['pointerenter', 'focus']) c.addEventListener(kind, () => show(i));\n"
    "  c.addEventListener('click', () => c.focus());\n"
    "  cards[i].addEventListener('pointerenter', () => show(i));\n"
    "});\n"
    "buttons.forEach((b, h) => {\n"
    "  b.addEventListener('click', () => { chosen = chosen === h && heads.length > 1 ? -1 : h; show(here); "
    "});\n"
    "  b.querySelector('.map').addEventListener('pointermove', event => {\n"
    "    const box = b.querySelector('.map canvas').getBoundingClientRect();\n"
    "    const i = Math.floor((event.clientY - box.top) / box.height * T), j = Math.floor((event.clientX - "
    "box.left) / box.width * T);\n"
    "    if (i < 0 || i >= T || j < 0 || j > i) return;\n"
    "    if (i !== here) show(i);\n"
    "    caption(h, i, j);\n"
    "  });\n"
    "  b.querySelector('.map').classList.toggle('fine', T > 64);\n"
    "});\n"
    "$('exact').addEventListener('toggle', list);\n"
    "for (const what of ['(prefers-color-scheme: dark)', 'print']) "
    "matchMedia(what).addEventListener('change', paint);\n"
    "paint();\n";

// Whole numbers below 100 in 92 characters that mean nothing in JSON or HTML: from # on, with the two that do
// replaced.
static void print_digit(FILE *f, int digit) {
    int c = '#' + digit;
    putc(c == '<' ? '!' : c == '\\' ? ' ' : c, f);
}

// One character below ONE, two below TWO, else three: see decode in the script. Most weights are small.
static void print_weight(FILE *f, real p) {
    enum { DIGITS = 92, ONE = 84, TWOS = 6, TWO = ONE + TWOS * DIGITS };
    int n = (int)((double)p * ATTENTION_PAGE_STEPS + 0.5);
    if (n < ONE) {
        print_digit(f, n);
    } else if (n < TWO) {
        print_digit(f, ONE + (n - ONE) / DIGITS);
        print_digit(f, (n - ONE) % DIGITS);
    } else {
        n -= TWO;
        print_digit(f, ONE + TWOS + n / DIGITS / DIGITS);
        print_digit(f, n / DIGITS % DIGITS);
        print_digit(f, n % DIGITS);
    }
}

static void print_weights(FILE *f, const Look *look) {
    bool first = true;
    fprintf(f, "<script type=\"application/json\" id=\"weights\">{\"steps\":%d,\"weights\":[",
            ATTENTION_PAGE_STEPS);
    for (long l = look->layers.begin; l < look->layers.end; l++)
        for (long h = look->heads.begin; h < look->heads.end; h++) {
            const real *p = look_weights(look, l, h);
            fputs(first ? "\n\"" : ",\n\"", f);
            first = false;
            for (long i = 0; i < look->T; i++)
                for (long j = 0; j <= i; j++) print_weight(f, p[i * look->T + j]);
            putc('"', f);
        }
    fputs("]}</script>\n", f);
}

static void print_reading(FILE *f, const Look *look) {
    fputs("<section class=\"reading\" aria-label=\"The text\">\n"
          "<div id=\"text\" class=\"text\" role=\"group\" aria-label=\"The text; arrow keys go from "
          "character to "
          "character, Enter shows exact weights\">",
          f);
    for (long t = 0; t < look->T; t++) {
        bool hex = look->z->kind == TOKENIZER_BYTE && look->token[t] >= 0x80;
        fprintf(f, "<span role=\"button\"%s>", hex ? " class=\"hex\"" : "");
        token_text(f, look->z, look->token[t]);
        fputs("</span>", f);
    }
    fputs("</div>\n<p class=\"faint\">Shaded: what <span id=\"whose\">a head</span> gathers into the marked "
          "character.</p>\n"
          "<div class=\"now\"><div><h3><b id=\"which\"></b>: from</h3><ol id=\"from\"></ol></div>"
          "<div><h3>expected next</h3><ol id=\"then\"></ol></div></div>\n"
          "<details id=\"exact\"><summary>Exact weights</summary><div class=\"rows\" role=\"region\" "
          "tabindex=\"0\" "
          "aria-label=\"Exact weights\"><table><thead><tr><th scope=\"col\">place</th><th "
          "scope=\"col\">from</th>"
          "<th scope=\"col\">weight</th></tr></thead><tbody id=\"rows\"></tbody></table></div></details>\n"
          "</section>\n",
          f);
}

static void print_heads(FILE *f, const Look *look) {
    fputs("<div>\n", f);
    for (long l = look->layers.begin; l < look->layers.end; l++) {
        fprintf(f, "<section class=\"layer\"><h2>Layer %ld</h2>\n<div class=\"heads\">\n", l);
        for (long h = look->heads.begin; h < look->heads.end; h++)
            fprintf(f,
                    "<button type=\"button\" class=\"head\" data-layer=\"%ld\" data-head=\"%ld\" "
                    "aria-pressed=\"false\">"
                    "<span class=\"map\"><canvas></canvas><i></i></span><canvas class=\"strip\"></canvas>"
                    "<span class=\"name\">head %ld</span><span class=\"top\"></span></button>\n",
                    l, h, h);
        fputs("</div></section>\n", f);
    }
    fputs("</div>\n", f);
}

static void print_expected(FILE *f, const Look *look) {
    fprintf(
        f,
        "<section><h2>Expected next</h2>\n<p class=\"faint\">Under each character the %ld that the model "
        "held "
        "most probable after it. The one that did come is underlined.</p>\n<ol class=\"next\" id=\"next\">\n",
        look->guesses);
    for (long t = 0; t < look->T; t++) {
        fputs("<li><b>", f);
        token_symbol(f, look->z, look->token[t]);
        fputs("</b>", f);
        for (long k = 0; k < look->guesses; k++) {
            const Candidate *guess = &look->guess[t * look->guesses + k];
            bool hit = t + 1 < look->T && guess->token == look->token[t + 1];
            fprintf(f, "<span%s style=\"--w:%.3f\">", hit ? " class=\"hit\"" : "", (double)guess->p);
            token_symbol(f, look->z, guess->token);
            fputs("<small>", f);
            token_share(f, (double)guess->p);
            fputs("</small></span>", f);
        }
        fputs("</li>\n", f);
    }
    fputs("</ol></section>\n", f);
}

bool attention_page(const Look *look, const char *path, Error *err) {
    Page page;
    if (!page_begin(&page, "From where each head gathers", STYLE, err)) return false;
    long layers = look->layers.end - look->layers.begin, heads = look->heads.end - look->heads.begin;
    fputs("<h1>From where each head gathers</h1>\n<p class=\"faint\"><code>", page.f);
    page_text(page.f, look->model, strlen(look->model));
    fprintf(
        page.f,
        "</code>: %ld layer%s, %ld head%s, %ld character%s</p>\n"
        "<p>Point at a character, or go there with the arrow keys: each map marks its row, the strip below "
        "shows "
        "how much the head gathers from each character up to it, and the caption names the largest. "
        "A click on a map shades the text by that head alone. Shades grow with the square root of the "
        "weight. "
        "Weights are rounded to 1/%d here; <code>--json</code> prints them in full.</p>\n"
        "<noscript><p>The maps are drawn by the script in this page, which is switched off.</p></noscript>\n"
        "<div class=\"split\">\n",
        layers, layers == 1 ? "" : "s", heads, heads == 1 ? "" : "s", look->T, look->T == 1 ? "" : "s",
        ATTENTION_PAGE_STEPS);
    print_reading(page.f, look);
    print_heads(page.f, look);
    fputs("</div>\n", page.f);
    print_expected(page.f, look);
    print_weights(page.f, look);
    return page_end(&page, SCRIPT, path, err);
}
