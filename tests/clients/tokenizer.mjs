// tokenizer.mjs FOLDER SAMPLE.json... -- do the tokenizers of transformers.js (JavaScript) and of Python (Rust) read texts
// as train_gpt does? Of each SAMPLE.json, which `train_gpt sample --json` prints, the start is such a text, with its ids.
import { Tokenizer as JavaScript } from "@huggingface/tokenizers";
import path from "node:path";
import rust from "tokenizers";
import { about, checkTokenizer, equal, readJson, report, vocabulary } from "./check.mjs";

const [folder, ...samples] = process.argv.slice(2);
const file = path.join(folder, "tokenizer.json");
const javaScript = new JavaScript(readJson(file), readJson(path.join(folder, "tokenizer_config.json")));
const inRust = await rust.Tokenizer.fromFile(file);

const engines = {
    JavaScript: { encode: text => javaScript.encode(text).ids, decode: ids => javaScript.decode(ids) },
    Rust: { encode: async text => (await inRust.encode(text)).getIds(), decode: ids => inRust.decode(ids, false) },
};
for (const [name, { encode, decode }] of Object.entries(engines)) {
    about(name);
    for (const sample of samples) {
        const { prompt, prompt_ids } = readJson(sample);
        equal(await encode(prompt), prompt_ids, "the text has the same ids");
        equal(await decode(prompt_ids), prompt, "and they are the text again");
    }
    await checkTokenizer({ encode, decode }, vocabulary(folder));
}
report();
