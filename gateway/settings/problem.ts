// Problems of settings: each message names the variable, its range and the remedy.
export type Problem = {
  readonly variable: string
  /** `fatal` stops the start. */
  readonly severity: 'warning' | 'fatal'
  /** As given, masked if secret; null if the value is irrelevant. */
  readonly value: string | null
  /** The permitted values. */
  readonly allowed: string | null
  readonly message: string
  readonly remedy: string
  /** The value used if the gateway starts anyway. */
  readonly consequence?: string
}

/** A value for messages: one line, limited, without URL credentials. */
export function shown(value: string, secret: boolean): string {
  if (secret) return '***'
  const masked = value.replace(/(:\/\/)[^/\s@]*@/g, '$1***@')
  return JSON.stringify(masked.length > 80 ? `${masked.slice(0, 80)}…` : masked).slice(1, -1)
}

function line(problem: Problem): string {
  const value = problem.value === null ? '' : `=${problem.value}`
  const allowed = problem.allowed === null ? '' : ` Allowed: ${problem.allowed}.`
  const consequence = problem.severity === 'warning' && problem.consequence ? ` ${problem.consequence}` : ''
  return `${problem.severity}: ${problem.variable}${value} ${problem.message}.${allowed} ${problem.remedy}${consequence}`
}

export function fatal(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'fatal')
}

/** One line per problem, fatal ones first. Empty without problems. */
export function describeProblems(problems: readonly Problem[]): string {
  const stopping = problems.filter((problem) => problem.severity === 'fatal')
  const others = problems.filter((problem) => problem.severity === 'warning')
  return [...stopping, ...others].map(line).join('\n')
}
