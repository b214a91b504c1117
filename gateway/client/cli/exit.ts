// How a command can end, as numbers that scripts read.
export const EXIT = {
  ok: 0,
  failed: 1,
  drift: 2,
  trouble: 2,
  /** Of `preflight`: calls need a change of configuration, some time, or a person. */
  configuration: 10,
  later: 11,
  person: 12,
  usage: 64,
  unreachable: 69,
  denied: 77,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export class UsageError extends Error {}
export class Unreachable extends Error {}
/** A command on files that could not do its work; 1 means that it found something. */
export class Trouble extends Error {}
