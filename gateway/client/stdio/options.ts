// What the bridge is started with: an address among its arguments, a key never among them.
import { parseArgs } from 'node:util'
import { KEY_VARIABLE } from '../agents/parsed-entry.ts'

export const STDIO_USAGE = `gantry stdio --url <address of an endpoint> [--key-file <file>]

Speaks MCP over standard input and output to an endpoint of a gateway, such as http://127.0.0.1:8790/mcp/pcg.
The key is read from ${KEY_VARIABLE} or from the file; arguments can be seen by every program of this computer.`

export type StdioOptions = { readonly url: URL; readonly key: string | null }
type OptionSources = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: (file: string) => string
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

function addressIn(text: string | undefined): URL {
  if (text === undefined) throw new Error('--url is missing')
  if (!URL.canParse(text)) throw new Error(`--url is no address: ${text.slice(0, 200)}`)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw new Error('--url must not hold a user name or a password')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return url
  throw new Error('--url must be https; http is for this computer only, because the key would be sent in the clear')
}

function keyIn({ env, readFile }: OptionSources, file: string | undefined): string | null {
  const key = (file === undefined ? (env[KEY_VARIABLE] ?? '') : readFile(file)).trim()
  if (/[^\x21-\x7e]/.test(key)) throw new Error('the key holds characters that no key has')
  return key === '' ? null : key
}

/** Throws with what to say; the usage says the rest. */
export function stdioOptions(given: OptionSources): StdioOptions {
  if (given.args.some((arg) => /^--key(?:=|$)/.test(arg)))
    throw new Error(`a key does not belong among the arguments: set ${KEY_VARIABLE}, or name a file with --key-file`)
  const { values } = parseArgs({
    args: [...given.args],
    options: { url: { type: 'string' }, 'key-file': { type: 'string' } },
  })
  return { url: addressIn(values.url), key: keyIn(given, values['key-file']) }
}
