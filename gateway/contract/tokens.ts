// How many tokens a text costs a model, from its bytes. An estimate: docs/context.md has its error against a tokenizer.

/** Between compact and indented JSON, which is what most tools return; prose has more. */
export const BYTES_PER_TOKEN = 3.5

export const estimatedTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)
