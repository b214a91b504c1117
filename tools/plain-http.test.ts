// The stand-in of the build for `node:http`: it serves, and does not load the fetch of Node.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PLAIN_HTTP } from './plain-http.ts'

/** What a module loads, as the names of the parts of Node. */
function loadedBy(source: string): string {
  const program = `${source}\nprocess.stdout.write(process.moduleLoadList.join('\\n'))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  return stdout
}

describe('the HTTP of the build', () => {
  it('leaves the fetch of Node unloaded, which a plain import loads', () => {
    expect(loadedBy(`import { createServer } from 'node:http'; createServer`)).toContain('deps/undici')
    const loaded = loadedBy(PLAIN_HTTP)
    expect(loaded).toContain('_http_server')
    expect(loaded).not.toContain('deps/undici')
  })

  it.each(['createServer', 'request', 'Agent', 'ServerResponse', 'IncomingMessage', 'STATUS_CODES', 'METHODS'])(
    'exports %s',
    (name) => {
      expect(PLAIN_HTTP).toContain(`export const ${name} =`)
    },
  )
})
