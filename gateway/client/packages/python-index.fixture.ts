// A package index double on loopback (PEP 503 and 691), with wheels that are made of texts.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { listening } from '../../net/listening.fixture.ts'
import { crafted } from './archive.fixture.ts'

export type Wheel = {
  readonly name: string
  readonly version: string
  /** `py3-none-any`; another one is for another platform. */
  readonly tag?: string
  readonly needs?: readonly string[]
  readonly program?: string
  readonly files: Readonly<Record<string, string>>
  /** What the index says instead of the truth. */
  readonly hash?: string
  /** An archive that must be built, in place of the wheel. */
  readonly isSource?: boolean
}

const plain = (name: string): string => name.replaceAll('-', '_')

function wheelOf({ name, version, tag = 'py3-none-any', needs = [], program, files }: Wheel): Buffer {
  const info = `${plain(name)}-${version}.dist-info`
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...needs.map((need) => `Requires-Dist: ${need}`),
  ]
  const about = {
    [`${info}/METADATA`]: `${metadata.join('\n')}\n`,
    [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: ${tag}\n`,
    ...(program && { [`${info}/entry_points.txt`]: `[console_scripts]\n${program} = ${plain(name)}:main\n` }),
  }
  const all = { ...files, ...about }
  const record = [...Object.keys(all), `${info}/RECORD`].map((file) => `${file},,\n`).join('')
  return crafted(Object.entries({ ...all, [`${info}/RECORD`]: record }).map(([file, data]) => ({ name: file, data })))
}

const fileOf = ({ name, version, tag = 'py3-none-any', isSource }: Wheel): string =>
  isSource ? `${name}-${version}.tar.gz` : `${plain(name)}-${version}-${tag}.whl`

export async function aPythonIndex(wheels: () => readonly Wheel[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://index')
    asked.push(pathname)
    const [, folder, name] = pathname.split('/')
    if (folder === 'files') {
      const found = wheels().find((wheel) => fileOf(wheel) === name)
      return void (found ? response.end(wheelOf(found)) : response.writeHead(404).end())
    }
    const found = wheels().filter((wheel) => wheel.name === name)
    if (folder !== 'simple' || found.length === 0) return void response.writeHead(404).end()
    const files = found.map((wheel) => ({
      filename: fileOf(wheel),
      url: `/files/${fileOf(wheel)}`,
      hashes: { sha256: wheel.hash ?? createHash('sha256').update(wheelOf(wheel)).digest('hex') },
    }))
    response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
    response.end(JSON.stringify({ meta: { 'api-version': '1.0' }, name, files }))
  })
  const { url, close } = await listening(server)
  return { url: `${url}/simple/`, asked, close }
}
