// llama.mjs FILE.gguf FOLDER TOLERANCE SAMPLE.json... -- does llama.cpp say what train_gpt says?
// FOLDER is the same model as a Hugging Face folder, which tells the vocabulary. Each SAMPLE.json is what
// `train_gpt sample --temperature 0 --json` prints. TOLERANCE is for log-probabilities.
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { check, checkTokenizer, equal, readJson, report, squeeze, vocabulary } from "./check.mjs";

const [file, folder, allowed, ...samples] = process.argv.slice(2);
const tolerance = Number(allowed);
const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.error, progressLogs: false });
const model = await llama.loadModel({ modelPath: file });
const encode = text => [...model.tokenize(text)], decode = ids => model.detokenize(ids);

// ---- the vocabulary ----

const V = model.fileInfo.metadata.tokenizer.ggml.tokens.length - 1;
const all = [...Array(V).keys()];
const characters = vocabulary(folder);
equal(V, characters ? characters.length : 256, "there is a token for each character or byte, and one more");
equal(all.filter(id => model.isEogToken(id)), [], "none of the model's tokens ends a text");
check(model.isEogToken(V) && model.tokens.eos === V, "the one more does");
await checkTokenizer({ encode, decode }, characters);

// ---- the numbers ----

// What train_gpt has as logits, llama.cpp has as probabilities: of both, log-probabilities.
function logSoftmax(logits) {
    const most = Math.max(...logits);
    const rest = Math.log(logits.reduce((sum, x) => sum + Math.exp(x - most), 0));
    return logits.map(x => x - most - rest);
}

const context = await model.createContext({ contextSize: model.trainContextSize });
const sequence = context.getSequence();

// For the tokens after each of the last `count` ones. With a temperature of 0, llama.cpp gives all of them, as they are.
async function logProbabilities(ids, count) {
    await sequence.clearHistory();
    const asked = { generateNext: { probabilities: true, options: { temperature: 0 } } };
    const out = await sequence.controlledEvaluate(ids.map((id, i) => i < ids.length - count ? id : [id, asked]));
    return out.slice(-count).map(({ next }) => all.map(id => Math.log(next.probabilities.get(id))));
}

let furthest = 0;
for (const name of samples) {
    const { prompt, prompt_ids, logits, samples: [{ ids, text }] } = readJson(name);
    // Bytes that are no text can be given by their ids only.
    if (characters || !prompt.includes("\ufffd")) equal(encode(prompt), prompt_ids, "the start has the same ids");
    equal(squeeze(decode(prompt_ids)), squeeze(prompt), "and they are the start again");
    equal(squeeze(decode(ids)), squeeze(text), "the ids of what is written are the text");

    // llama.cpp reads what train_gpt has written, so that one choice between equals does not end the comparison.
    const log = await logProbabilities([...prompt_ids, ...ids.slice(0, -1)], ids.length);
    const distance = Math.max(...logSoftmax(logits).map((x, id) => Math.abs(x - log[0][id])));
    furthest = Math.max(furthest, distance);
    check(distance <= tolerance, "after the start every token is as probable", `up to ${distance} from it`);
    const worse = ids.findIndex((id, t) => !(log[t][id] >= Math.max(...log[t]) - tolerance));
    check(worse < 0, "each token is the most probable one, or its equal", `not token ${worse}, ${ids[worse]}`);
}
console.log(`log-probabilities after ${samples.length} starts differ by up to ${furthest.toExponential(1)}`);
report();
