// check.mjs -- what the checks of clients share: counting, what an export says of itself, and the checks of a tokenizer.
import { readFileSync } from "node:fs";
import path from "node:path";

let passed = 0, failed = 0, subject = "";

// Whom the sentences are about from here on.
export function about(name) { subject = name + ": "; }

// The sentence is printed where it is not true, with what came instead.
export function check(good, sentence, instead = "") {
    if (good) passed++;
    else {
        failed++;
        console.log(`FAILED: ${subject}${sentence}`);
        if (instead !== "") console.log("    " + instead);
    }
}

// Shows both from a little before the place where they part.
export function equal(got, expected, sentence) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
    let at = 0;
    while (at < a.length && a[at] === b[at]) at++;
    const part = text => (at > 30 ? "..." : "") + text.slice(Math.max(0, at - 30), at + 60);
    check(a === b, sentence, `${part(a)}\n    instead of ${part(b)}`);
}

export function report() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed > 0 ? 1 : 0);
}

export const readJson = file => JSON.parse(readFileSync(file, "utf8"));

// The characters of a folder's tokenizer.json in the order of their ids; null where its tokens are bytes.
export function vocabulary(folder) {
    const { model, pre_tokenizer: pre } = readJson(path.join(folder, "tokenizer.json"));
    if (pre?.type === "ByteLevel") return null;
    const characters = [];
    for (const [character, id] of Object.entries(model.vocab)) characters[id] = character;
    return characters;
}

// Every program has its own number of U+FFFD for bytes that are no character; here they are one.
export const squeeze = text => text.replace(/\ufffd+/g, "\ufffd");

// encode(text) gives ids, decode(ids) the text.
export async function checkTokenizer({ encode, decode }, characters) {
    equal(await encode(""), [], "of nothing come no tokens");
    if (characters) await checkCharacters(encode, decode, characters);
    else await checkBytes(encode, decode);
}

async function checkCharacters(encode, decode, characters) {
    const all = [...characters.keys()];
    for (const order of [all, all.toReversed(), all.flatMap(id => [id, id])]) {
        const text = order.map(id => characters[id]).join("");
        equal(await encode(text), order, "each character is its token, whatever stands beside it");
        equal(await decode(order), text, "and back");
    }
    equal(await Promise.all(all.map(id => decode([id]))), characters, "each token alone is its character");
    // The first of these begins with the same bytes as the last that is known.
    const near = String.fromCodePoint(characters.at(-1).codePointAt(0) ^ 1);
    for (const stranger of [near, "~", "¤", "é", "ם", "一", "龘", "🤖"].filter(c => !characters.includes(c)))
        equal(await encode(characters[0] + stranger + characters[1]), [0, 1], `${stranger}, which it does not know, is left out`);
}

async function checkBytes(encode, decode) {
    for (const text of ["plain", "\0\x01\t\r\n\x7f", "naïve Ünïcödé", "慢河边", "🤖 e\u0301", " .. , ?!"]) {
        const bytes = [...Buffer.from(text)];
        equal(await encode(text), bytes, "each byte is its token");
        equal(await decode(bytes), text, "and back");
    }
}
