// Variables of the person's environment: on Windows their names are the same in any case.
import { fileOf } from '../../instance/program-file.ts'
import { mergedVariables, variableOf } from '../../windows/variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const isWindows = process.platform === 'win32'

export const variable = (env: Environment, name: string): string | undefined =>
  isWindows ? variableOf(env, name) : env[name]

/** The PATH of an environment. */
export const searchedIn = (env: Environment): string =>
  variable(env, 'PATH') ?? (isWindows ? '' : '/usr/local/bin:/usr/bin:/bin')

/** The file that a command names, as a shell finds it. */
export const foundIn = (command: string, env: Environment, cwd: string): Promise<string | undefined> =>
  fileOf(command, searchedIn(env), cwd, variable(env, 'PATHEXT'))

/** The same with another PATH, and no second one beside it. */
export const withPath = (env: Environment, text: string): Environment =>
  isWindows ? mergedVariables(env, { PATH: text }) : { ...env, PATH: text }
