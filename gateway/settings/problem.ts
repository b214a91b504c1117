// What is wrong with the given settings, in words that name the variable, its range and what to do.
export type Problem = {
  readonly variable: string
  /** `fatal` stops the start. */
  readonly severity: 'warning' | 'fatal'
  /** As given, masked when it is a secret; null where the value itself says nothing. */
  readonly value: string | null
  /** What may stand there. */
  readonly allowed: string | null
  readonly message: string
  readonly remedy: string
  /** What is used so long as the gateway starts all the same. */
  readonly meanwhile?: string
}

/** A value as a message may show it: one line, bounded, without the credentials of a URL. */
export function shown(value: string, secret: boolean): string {
  if (secret) return '***'
  const masked = value.replace(/(:\/\/)[^/\s@]*@/g, '$1***@')
  return JSON.stringify(masked.length > 80 ? `${masked.slice(0, 80)}…` : masked).slice(1, -1)
}

function line(problem: Problem): string {
  const value = problem.value === null ? '' : `=${problem.value}`
  const allowed = problem.allowed === null ? '' : ` Allowed: ${problem.allowed}.`
  const meanwhile = problem.severity === 'warning' && problem.meanwhile ? ` ${problem.meanwhile}` : ''
  return `${problem.severity}: ${problem.variable}${value} ${problem.message}.${allowed} ${problem.remedy}${meanwhile}`
}

export function fatal(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'fatal')
}

/** Every problem on a line of its own, those that stop the start first. Empty when there is none. */
export function describeProblems(problems: readonly Problem[]): string {
  const stopping = problems.filter((problem) => problem.severity === 'fatal')
  const others = problems.filter((problem) => problem.severity === 'warning')
  return [...stopping, ...others].map(line).join('\n')
}
