// What the compatibility run found, as docs/compatibility.md.

export type ClientResult = {
  readonly name: string
  readonly package: string
  readonly version: string
  readonly cells: readonly {
    readonly surface: string
    readonly open: string
    readonly keyed: string
    readonly refused: string
    readonly restarted: string
  }[]
}
export type ServerResult = {
  readonly name: string
  readonly package: string
  readonly version: string
  readonly registered: string
  readonly called: string
  readonly restarted: string
}

const CONFORMANCE =
  'The official suites run in the tests (`e2e/scenarios/conformance.test.ts`), against an upstream directly and through its shard. Every scenario of 2025-11-25 and 2026-07-28 that passes directly passes through the shard. Of the 84 checks of 2025-11-25, four concern the form of streams and do not apply: answers as events, a first event with an id, a time to retry, and the rest of a stream that ended early. The gateway reads such streams of an upstream to their end, and answers its clients with JSON.'

const escaped = (text: string): string => text.replaceAll('|', '\\|')
const rowOf = (...cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`

export function report(clients: readonly ClientResult[], servers: readonly ServerResult[], at: Date): string {
  const clientRows = clients.flatMap(({ name, package: from, version, cells }) =>
    cells.map(({ surface, open, keyed, refused, restarted }) =>
      rowOf(name, `\`${from}\` ${version}`, surface, open, keyed, refused, restarted),
    ),
  )
  const serverRows = servers.map(({ name, package: from, version, registered, called, restarted }) =>
    rowOf(name, `\`${from}\` ${version}`, registered, called, restarted),
  )
  return [
    '# Compatibility',
    '',
    `Clients and servers of other projects, run against the gateway on ${at.toISOString().slice(0, 10)} by \`npm run compat\`, which installs them in exact versions (\`tools/compat/packages.ts\`) into a temporary folder and writes this page. A cell is \`ok\` or the error of the client.`,
    '',
    '## Clients',
    '',
    'Each client connects, lists the tools and calls one, on a gateway without keys (*open*) and with its key (*keyed*). With a wrong key it must report an error (*refused*). The Claude Agent SDK runs against a model on loopback that asks for the call. Then the gateway restarts and the same client calls again (*restart*, both gateways).',
    '',
    '| Client | Package | Endpoint | Open | Keyed | Refused | Restart |',
    '|---|---|---|---|---|---|---|',
    ...clientRows,
    '',
    '## Servers',
    '',
    'Each server is registered and one of its tools is called; then the server restarts and the tool is called again.',
    '',
    '| Server | Package | Registered | Called | Restart |',
    '|---|---|---|---|---|',
    ...serverRows,
    '',
    '## Conformance',
    '',
    CONFORMANCE,
    '',
  ].join('\n')
}
