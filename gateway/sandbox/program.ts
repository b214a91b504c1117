// What is started, and the refusal of a start.

/** An absolute path and arguments, which no shell reads. */
export type Program = {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/** A start that was refused: it costs nothing to try again, and is no crash. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}
