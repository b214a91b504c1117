// A registry double on loopback: packuments and tarballs of npm, made of texts.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { listening } from '../../net/listening.fixture.ts'

type Files = Readonly<Record<string, string>>
export type Published = {
  readonly manifest: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>
  readonly files: Files
  /** What the packument says instead of the truth. */
  readonly integrity?: string
}

const BLOCK = 512

function entryOf(name: string, text: string): Buffer {
  const body = Buffer.from(text)
  const head = Buffer.alloc(BLOCK)
  head.write(`package/${name}`, 0)
  head.write('0000755\0', 100)
  head.write('0000000\0', 108)
  head.write('0000000\0', 116)
  head.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
  head.write('00000000000\0', 136)
  head.write('        ', 148)
  head.write('0', 156)
  head.write('ustar\0', 257)
  head.write('00', 263)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)])
}

const tarball = ({ manifest, files }: Published): Buffer =>
  gzipSync(
    Buffer.concat([
      ...Object.entries({ 'package.json': JSON.stringify(manifest), ...files }).map(([name, text]) =>
        entryOf(name, text),
      ),
      Buffer.alloc(2 * BLOCK),
    ]),
  )

export async function aRegistry(packages: () => readonly Published[]) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    const { port } = server.address() as AddressInfo // it listens
    const [, name = '', tar] = /^\/([^/]+)(?:\/-\/(.+))?$/.exec(decodeURIComponent(request.url ?? '')) ?? []
    const all = packages().filter(({ manifest }) => manifest.name === name)
    const one = tar === undefined ? undefined : all.find(({ manifest }) => tar === `${name}-${manifest.version}.tgz`)
    if (one) return void response.end(tarball(one))
    const last = all.at(-1)
    if (last === undefined) return void response.writeHead(404).end('{}')
    const versions = all.map((each) => [
      each.manifest.version,
      {
        ...each.manifest,
        dist: {
          tarball: `http://127.0.0.1:${port}/${name}/-/${name}-${each.manifest.version}.tgz`,
          integrity: each.integrity ?? `sha512-${createHash('sha512').update(tarball(each)).digest('base64')}`,
        },
      },
    ])
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: last.manifest.version },
        versions: Object.fromEntries(versions),
      }),
    )
  })
  const { url, close } = await listening(server)
  return {
    url: `${url}/`,
    requests: () => requests,
    close,
  }
}
