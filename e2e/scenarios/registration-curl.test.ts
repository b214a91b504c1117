// A pasted command beside the tool it became: what curl itself sends and what the tool sends reach one server, and are the same.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Hit, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { call, codeOf, echoing, register, registered, startNear } from './registration.fixture.ts'

const run = promisify(execFile)
const NO_CURL = spawnSync('curl', ['--version']).status === 0 ? false : 'skipped: no curl'

const COMMANDS = [
  `curl BASE`,
  `curl 'BASE/a?x=1&x=2&y=a%2Fb#fragment'`,
  `curl BASE/a/../b/./c`,
  `curl 'BASE/x?filter\\[name\\]=1&page\\[size\\]=2'`,
  `curl -g 'BASE/x?filter[name]=1&b={c}'`,
  `curl -g 'BASE/x/[1-3]'`,
  `curl -X DELETE BASE/x/1`,
  `curl -I BASE/x`,
  `curl --request PATCH --url BASE/x --data '<a>b</a>' --header 'Content-Type: text/xml'`,
  `curl -d a=1 -d 'b=2 3' BASE/`,
  `curl -d 'a=1&a=2&b[]=3&c[d]=4' BASE/`,
  `curl -d 'a+b=c+d&e=%zz' BASE/`,
  `curl -d '' BASE/x`,
  `curl -d $'tab\\there, it\\'s \\u00e9\\x41' BASE/x`,
  `curl --data-binary $'a\\nb' BASE/x`,
  `curl --data-raw '@not-a-file' BASE/x`,
  `curl --data-urlencode 'a=b&c=d+e' --data-urlencode '=x=y' BASE/`,
  `curl -d a=1 --data-urlencode 'b=ü' --data-raw c=3 BASE/`,
  `curl -G 'BASE/s?z=1' -d q=1 --data-urlencode 'r=a b/ü'`,
  `curl --get -X POST -d a=1 BASE/`,
  `curl --url-query 'q=a b' -d 'x=1' BASE/x`,
  `curl --json '{"a":1,"b":[true,null]}' BASE/j`,
  `curl --json '{"a":' --json '1}' -X PUT BASE/j`,
  `curl -d '{"a":12345678901234567890,"b":1.0}' -H 'content-type: application/json' BASE/j`,
  `curl -d '[1,2]' -H 'content-type: application/vnd.api+json' BASE/j`,
  `curl -d '"text"' -H 'content-type: application/json' BASE/j`,
  `curl -F a=1 -F 'b=x;type=application/json' -F 'c="q;r"' BASE/up`,
  `curl -F 'x=1;filename=f.txt' -F 'y=2;type=text/csv;filename="a b.csv"' BASE/up`,
  `curl -F 'x=cut;here' -F 'y= led' -F 'z="with \\"quotes\\""' BASE/up`,
  `curl -F x=1 -F x=2 --form-string 'y=@a;type=b' BASE/up`,
  `curl -H 'X-Trace: 1' -H 'x-trace: 2' -H 'X-Empty;' -H 'Accept: text/plain' BASE/`,
  `curl -A agent -e http://from.example/ -r 0-5 BASE/x`,
  `curl -u user:pa:ss BASE/x`,
  `curl -H 'Authorization: Bearer sesame-street' BASE/x`,
  `curl -H 'X-Api-Key: sesame-street' -sSL --compressed --max-time 5 BASE/x`,
  `curl -b 'a=b; c=d' BASE/x`,
  `curl \\
    -X POST \\
    'BASE/lines' \\
    -H 'X-Trace: kept' \\
    --data "it's \\"here\\""`,
  `curl "BASE/x" -d 'price=$5' -d "cost=\\$5"`,
  `curl -sXPOST BASE/x -d'{"a":1}' -H'Content-Type:application/json; charset=utf-8'`,
]

describe.skipIf(NO_CURL)(`what curl sends ${NO_CURL || ''}`, () => {
  let gateway: Gateway
  let api: UpstreamServer
  beforeAll(async () => {
    gateway = await startNear()
    api = await startServer(echoing)
  })
  afterAll(async () => {
    await gateway.end()
    await api.close()
  })

  it.each(COMMANDS)('%s', async (command) => {
    const text = command.replaceAll('BASE', api.url)
    // Without a locale the shell would not write the letters that its escapes name.
    await run('bash', ['-c', text], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    const real = api.hits.at(-1)
    const result = await registered(gateway, { name: 'pasted', curl_input: text })
    const [tool] = (result as { tools: { name: string }[] }).tools
    const before = api.hits.length
    await call(gateway, 'pasted', tool?.name ?? '')
    expect(api.hits.length).toBe(before + 1)
    expect(seen(api.hits.at(-1))).toEqual(seen(real))
    // No secret in it is ever shown.
    const shown = JSON.stringify(result) + (await gateway.admin('/admin-api/clients/pasted')).text
    for (const secret of ['sesame', 'pa:ss', Buffer.from('user:pa:ss').toString('base64')])
      expect(shown).not.toContain(secret)
    await gateway.admin('/admin-api/clients/pasted', { method: 'DELETE' })
  })

  it.each([
    '-d @/etc/passwd',
    '--data-binary @-',
    '--data-urlencode name@/etc/passwd',
    '--data-urlencode @/etc/passwd',
    '--json @/etc/passwd',
    '-F f=@/etc/passwd',
    "-F 'f=</etc/passwd'",
    "-F 'x=1;headers=@/etc/passwd'",
    '-T /etc/passwd',
    '-H @/etc/passwd',
    '-b /etc/passwd',
    '-K /etc/passwd',
    '--url-query @/etc/passwd',
  ])('%s is refused, and no file is looked at (security case SS-14)', async (flags) => {
    const answer = await register(gateway, { name: 'reads', curl_input: `curl ${flags} ${api.url}/x` })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'DISCOVERY_ERROR'])
    expect(answer.text).not.toContain('root:')
    expect(answer.text).toMatch(/file|field|--upload-file|--config/)
  })
})

/** What a server can tell of a request, but for what every HTTP client says in its own words. */
function seen(hit: Hit | undefined): unknown {
  if (hit === undefined) return undefined
  const { method, url, headers, body } = hit
  const [path = '', search = ''] = url.split(/\?(.*)/s)
  const type = headers['content-type'] ?? ''
  const boundary = /boundary=(\S+)/.exec(type)?.[1]
  const own = [
    'authorization',
    'cookie',
    'referer',
    'range',
    ...Object.keys(headers).filter((name) => name.startsWith('x-')),
  ]
  return {
    method,
    path: decodeURIComponent(path),
    query: [...new URLSearchParams(search)],
    type: type.replace(/;\s*boundary=.*/, ''),
    headers: Object.fromEntries(own.map((name) => [name, headers[name]])),
    body:
      boundary === undefined
        ? type.startsWith('application/x-www-form-urlencoded')
          ? [...new URLSearchParams(body)]
          : body
        : parts(body, boundary),
  }
}

function parts(body: string, boundary: string): unknown {
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', content = ''] = part.split(/\r\n\r\n(.*)\r\n$/s)
      const lines = head
        .trim()
        .split('\r\n')
        .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
      return { head: lines.toSorted(), content }
    })
}
