// How a call reads: its name, its caller, where it came through, and the shell command that repeats it. Pure.
import type { CallRow } from '#contract'
import { t } from '../../language/language.ts'

/** The tool, or the method or path of another request. */
export const nameOf = ({ tool, calledAs }: Pick<CallRow, 'tool' | 'calledAs'>): string => tool || calledAs

const KINDS: readonly (readonly [RegExp, (rest: string) => string])[] = [
  [/^mcp-key:(.+)$/, (id) => t('Key {id}', { id })],
  [/^mcp-env:(.+)$/, (id) => t('Environment key {id}', { id })],
  [/^jwt:(.+)$/, (subject) => subject],
  [/^desktop:(.+)$/, (user) => user],
  [/^install-link:(.+)$/, (id) => t('Install link {id}', { id })],
  [/^(bearer:.+)$/, () => t('Administrator key')],
  [/^anonymous()$/, () => t('Anonymous')],
  [/^system()$/, () => 'Gantry'],
  [/^unknown()$/, () => t('Unknown')],
]

/** The label of the key, the person, or what the caller is. */
export function callerOf({ keyLabel, principal }: Pick<CallRow, 'keyLabel' | 'principal'>): string {
  if (keyLabel !== undefined) return keyLabel
  for (const [shape, words] of KINDS) {
    const found = shape.exec(principal)
    if (found) return words(found[1] ?? '')
  }
  return principal
}

const SURFACES: Readonly<Record<string, string>> = {
  shard: t('Backend'),
  control: t('Control plane'),
  admin: t('Admin UI'),
  monitor: t('Monitor'),
  composite: t('Composite step'),
  door: t('Refused at the door'),
}

export const throughOf = ({ surface, bundle }: Pick<CallRow, 'surface' | 'bundle'>): string =>
  bundle === null ? (SURFACES[surface] ?? surface) : t('Bundle {bundle}', { bundle })

/** A shell command that repeats the call with its captured arguments; the key is a placeholder. */
export function curlOf(
  { client, tool }: Pick<CallRow, 'client' | 'tool'>,
  gatewayUrl: string,
  args: Readonly<Record<string, unknown>> = {},
): string {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }
  return [
    `curl -X POST ${quoted(`${gatewayUrl}/mcp/${client ?? ''}`)}`,
    `-H ${quoted('Authorization: Bearer <MCP_KEY>')}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-H ${quoted('Accept: application/json, text/event-stream')}`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

/** Quoted for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
