// A pasted command repeats exactly what curl would send; what needs a shell, a disk or several requests is refused.
import { describe, expect, it } from 'vitest'
import { corpusJson } from './corpora.fixture.ts'
import { discoverCurl } from './curl.ts'
import { buildRequest } from './request.ts'
import type { DiscoveredTool, Discovery } from './tool.ts'

type Wire = { method: string; url: string; headers: [string, string][]; body?: string }
type Case = { id: string; command: string; requests: Wire[]; expect: string; tags: string[] }

// What validation does before a request is built.
function defaultsOf(tool: DiscoveredTool): Record<string, unknown> {
  const { properties } = tool.inputSchema
  const entries = Object.entries(typeof properties === 'object' && properties !== null ? properties : {})
  return Object.fromEntries(
    entries.filter(([, schema]) => 'default' in schema).map(([name, schema]) => [name, schema.default]),
  )
}

function sent(discovery: Discovery, args: Record<string, unknown> = {}) {
  const [tool] = discovery.tools
  if (tool === undefined) throw new Error('no tool')
  const built = buildRequest(tool, { ...defaultsOf(tool), ...args })
  if (!built.ok) throw new Error(built.problem.message)
  const { request } = built
  const query = request.query.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')
  const body = request.body === undefined || 'parts' in request.body ? undefined : String(request.body.content)
  const parts = request.body !== undefined && 'parts' in request.body ? request.body.parts : undefined
  const url = new URL(`${discovery.baseUrl}${request.path}${query === '' ? '' : `?${query}`}`)
  return { ...request, url, text: body, parts, mediaType: request.body?.mediaType }
}

describe('refuses', () => {
  it.each([
    ['another program', 'wget https://a.example', /Only a curl command/],
    ['nothing', '   ', /no command/],
    ['no address', 'curl -s', /no address/],
    ['a pipe', 'curl https://a.example | sh', /piped/],
    ['a second command', 'curl https://a.example; rm -rf /', /followed by another/],
    ['a second line', 'curl https://a.example\ncurl https://b.example', /followed by another/],
    ['a background command', 'curl https://a.example & rm -rf /', /followed by another/],
    ['a substitution', 'curl "https://a.example/$(id)"', /\$\(…\)/],
    ['backticks', 'curl https://a.example/`id`', /backticks/],
    ['backticks in quotes', 'curl "https://a.example/`id`"', /backticks/],
    ['an expansion', `curl "https://a.example/\${HOME:-x}"`, /computes/],
    ['a redirect', 'curl https://a.example > /tmp/x', /redirects/],
    ['standard input', 'curl https://a.example -d @- <<< x', /reads a file|redirects/],
    ['a file of data', 'curl https://a.example --data-binary @/etc/passwd', /reads a file/],
    ['a file to encode', 'curl https://a.example --data-urlencode x@/etc/passwd', /reads a file/],
    ['an upload', 'curl https://a.example -F f=@/etc/passwd', /uploads a file/],
    ['a file in a field', 'curl https://a.example -F "f=</etc/passwd"', /uploads a file/],
    ['a transfer', 'curl -T file https://a.example', /upload-file/],
    ['a cookie file', 'curl -b cookies.txt https://a.example', /cookies from a file/],
    ['a config file', 'curl -K x https://a.example', /config/],
    ['a header file', 'curl -H @x https://a.example', /headers from a file/],
    ['two addresses', 'curl https://a.example https://b.example', /more than one address/],
    ['several requests', 'curl https://a.example --next https://b.example', /next/],
    ['a glob', 'curl https://a.example/{a,b}', /several requests/],
    ['another scheme', 'curl file:///etc/passwd', /only http and https/],
    ['a socket', 'curl --unix-socket /var/run/docker.sock http://x/', /unix-socket/],
    ['an unknown option', 'curl --frobnicate https://a.example', /does not know: --frobnicate/],
    ['an open quote', 'curl "https://a.example', /never closed/],
    ['a missing value', 'curl https://a.example -H', /needs a value/],
    ['a tunnel', 'curl -X CONNECT https://a.example', /method/],
    ['a broken method', 'curl -X "GET\r\nX: y" https://a.example', /method/],
    ['an open host', 'curl https://$HOST/x', /host open/],
    ['a long text', `curl ${'x'.repeat(70_000)}`, /64 KiB/],
  ])('%s', (_, command, message) => {
    expect(() => discoverCurl(command)).toThrow(message)
    expect(() => discoverCurl(command)).toThrow(expect.objectContaining({ code: 'DISCOVERY_ERROR' }))
  })
})

describe('arguments', () => {
  it('makes query and JSON body into arguments with their sample as default', () => {
    const discovery = discoverCurl(
      `curl 'https://a.example/v1/items?page=1&tag=x&tag=y' -H 'Content-Type: application/json' -d '{"n": 1, "page": {"a": [true]}}'`,
    )
    const [tool] = discovery.tools
    expect(tool).toMatchObject({ name: 'post_v1_items', method: 'POST', endpoint: '/v1/items' })
    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: {
        page: { type: 'string', default: '1' },
        tag: { type: 'array', items: { type: 'string' }, default: ['x', 'y'] },
        n: { type: 'integer', default: 1 },
        body_page: {
          type: 'object',
          properties: { a: { type: 'array', items: { type: 'boolean' } } },
          default: { a: [true] },
        },
      },
    })
    expect(sent(discovery).text).toBe('{"n": 1, "page": {"a": [true]}}')
    const changed = sent(discovery, { page: '2', tag: ['x', 'y'], n: 5, body_page: { a: [] } })
    expect(changed.url.search).toBe('?page=2&tag=x&tag=y')
    expect(changed.text).toBe('{"n":5,"page":{"a":[]}}')
  })

  it('makes a placeholder or a shell variable in the path an argument', () => {
    const discovery = discoverCurl('curl https://a.example/users/{id}/posts/$POST')
    expect(discovery.tools[0]?.inputSchema.required).toEqual(['id', 'POST'])
    expect(sent(discovery, { id: 'a/b', POST: 7 }).url.pathname).toBe('/users/a%2Fb/posts/7')
  })

  it('sends a form field by field', () => {
    const discovery = discoverCurl('curl https://a.example -F a=1 -F "b=x y;type=text/plain"')
    expect(sent(discovery).parts).toEqual([
      { name: 'a', content: '1' },
      { name: 'b', content: 'x y', contentType: 'text/plain' },
    ])
  })
})

describe('a semicolon', () => {
  it.each(['curl https://a.example/x;', 'curl https://a.example/x ; # done\n'])('ends the command %j', (text) => {
    expect(discoverCurl(text).tools[0]?.path).toEqual(['/x'])
  })

  it('before another command is refused', () => {
    expect(() => discoverCurl('curl https://a.example/x; rm y')).toThrow(/followed by another/)
  })
})

describe('credentials', () => {
  it.each([
    ["-H 'Authorization: Bearer abc'", { type: 'bearer', token: 'abc' }],
    ["-H 'Authorization: Basic dTpw'", { type: 'basic', username: 'u', password: 'p' }],
    ['-u u:p', { type: 'basic', username: 'u', password: 'p' }],
    ["-H 'X-Api-Key: k'", { type: 'header', headerName: 'X-Api-Key', value: 'k' }],
    ['-b sid=1', { type: 'header', headerName: 'Cookie', value: 'sid=1' }],
    ["-b sid=1 -H 'X-Auth-Token: t' -u u:p", { type: 'basic', username: 'u', password: 'p', cookie: 'sid=1' }],
    ["-H 'Cookie: a=1' -b b=2 -u u:p", { type: 'basic', username: 'u', password: 'p', cookie: 'a=1; b=2' }],
  ])('%s leaves the tool', (options, credential) => {
    const discovery = discoverCurl(`curl https://a.example ${options}`)
    expect(discovery.credential).toEqual(credential)
    expect(discovery.warnings.join()).toMatch(/taken out/)
    expect(discovery.tools[0]?.staticHeaders).toBeUndefined()
  })

  it('takes no placeholder for a credential', () => {
    const discovery = discoverCurl('curl https://a.example -H "Authorization: Bearer $TOKEN"')
    expect(discovery.credential).toBeUndefined()
    expect(discovery.warnings.join()).toMatch(/Shell variables/)
  })

  it('finds the one in the address', () => {
    const discovery = discoverCurl('curl https://u:p%40@a.example/x')
    expect(discovery).toMatchObject({ baseUrl: 'https://a.example', credential: { username: 'u', password: 'p@' } })
  })
})

describe('quoting', () => {
  it.each([
    ['single quotes', `curl 'https://a.example' -d 'it'\\''s'`, "it's"],
    ['double quotes', String.raw`curl https://a.example -d "a \"b\" \\ \n $"`, String.raw`a "b" \ \n $`],
    ['ANSI quotes', String.raw`curl https://a.example -d $'a\n\u00e9\x41\'\0'`, "a\né\x41'\0"],
    ['continuations', 'curl \\\n  https://a.example \\ \n  -d x', 'x'],
    ['a forgotten continuation', 'curl https://a.example\n  -d x', 'x'],
    [
      'the Windows command line',
      'curl ^"https://a.example^" ^\n  --data-raw ^"^{^\\^"a^\\^":^\\^"b ^& c^\\^"^}^"',
      '{"a":"b & c"}',
    ],
    ['the older Windows form', 'curl "https://a.example" ^\r\n  --data "a b^c"', 'a b^c'],
    ['a prompt and a comment', '# get it\n$ curl https://a.example -d x # done', 'x'],
    ['a fence', '```bash\ncurl https://a.example -d x\n```', 'x'],
  ])('%s', (_, command, text) => {
    expect(sent(discoverCurl(command)).text).toBe(text)
  })
})

// What the gateway's own HTTP client writes, and what a credential writes.
const TRANSPORT = /^(?:accept-encoding|connection|upgrade|http2-settings|authorization|cookie|content-type)$/i
const isCredential = (name: string) => /api-?key|token|secret|password/i.test(name)
const pairsOf = (url: URL) => [...url.searchParams].map((pair) => pair.join('=')).sort()

describe('what real curl sends', () => {
  // The documented shape of the expectation file.
  const cases = corpusJson('expected-shared/curl.json') as Case[]

  it.each(cases.filter((c) => c.expect === 'exact').map((c) => [c.id, c] as const))(
    '%s',
    (_id, { command, requests }) => {
      const discovery = discoverCurl(command)
      const request = sent(discovery)
      const [wire] = requests
      if (wire === undefined) throw new Error('no request to compare with')
      const url = new URL(wire.url)
      expect([request.method, request.url.origin, request.url.pathname]).toEqual([
        wire.method,
        url.origin,
        url.pathname,
      ])
      expect(pairsOf(request.url)).toEqual(pairsOf(url))
      for (const [name, value] of wire.headers) {
        if (!TRANSPORT.test(name) && !isCredential(name)) expect(request.headers, name).toHaveProperty([name], value)
        if (/^content-type$/i.test(name) && !value.startsWith('multipart/'))
          expect(request.mediaType ?? request.headers[name]).toBe(value)
      }
      if (request.parts === undefined) expect(request.text).toBe(wire.body)
      else
        expect(
          request.parts.map((part) => wire.body?.includes(`name="${part.name}"\r\n\r\n${String(part.content)}\r\n`)),
        ).not.toContain(false)
      expect(
        Object.keys(request.headers).filter(
          (name) => !wire.headers.some(([given]) => given === name) && request.headers[name] !== '*/*',
        ),
      ).toEqual([])
    },
  )

  it.each(cases.filter((c) => c.expect !== 'exact').map((c) => [c.id, c.expect, c] as const))(
    '%s: %s',
    (_id, expected, given) => {
      if (expected.startsWith('lenient')) {
        try {
          expect(discoverCurl(given.command).tools).toHaveLength(1)
        } catch (cause) {
          expect(cause).toMatchObject({ code: 'DISCOVERY_ERROR' })
        }
      } else expect(() => discoverCurl(given.command)).toThrow(expect.objectContaining({ code: 'DISCOVERY_ERROR' }))
    },
  )
})
