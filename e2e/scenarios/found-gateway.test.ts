// The command line without an address: it finds the gateway that runs here, and gives its key to no other program.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gantry as run } from '../../gateway/client/cli/cli.fixture.ts'
import { ADMIN_KEY, aFolder } from './gateway.fixture.ts'
import { aGatewayProcess } from './gateway-process.fixture.ts'

const homeAt = (home: string) => ({
  run: join(home, '.gantry', 'run'),
  gantry: (...args: readonly string[]) => run({ HOME: home, USERPROFILE: home, GANTRY_ADMIN_KEY: ADMIN_KEY }, args),
})
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

describe('a gateway that runs here', () => {
  it('is found without an address, by a file without a key, until it stops or is killed', async () => {
    const home = aFolder()
    const { run: folder, gantry } = homeAt(home)
    expect(await gantry('backend', 'list')).toMatchObject({
      code: 69,
      out: '',
      error: expect.stringContaining('no gateway of yours runs on this computer'),
    })

    const first = await aGatewayProcess({}, home)
    const [name = ''] = namesIn(folder)
    const announced = readFileSync(join(folder, name), 'utf8')
    expect(JSON.parse(announced)).toMatchObject({ url: first.url, pid: first.pid, home: 'headless', dataFolder: home })
    expect(announced).not.toContain(ADMIN_KEY)
    if (process.platform !== 'win32')
      expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600])
    expect(await gantry('backend', 'list')).toEqual({ code: 0, out: 'none\n', error: '' })
    expect(await gantry('open', '--print')).toMatchObject({ code: 0, out: `${first.url}/admin\n` })
    // A command that needs no gateway looks for none.
    expect((await gantry('completion', 'bash')).code).toBe(0)

    const second = await aGatewayProcess({ HOME: home }, aFolder())
    const both = await gantry('backend', 'list')
    expect(both).toMatchObject({ code: 64, error: expect.stringContaining('Say which with --url') })
    for (const { url } of [first, second]) expect(both.error).toContain(`${url} (headless)`)
    expect((await gantry('backend', 'list', '--url', second.url)).code).toBe(0)

    await second.stop()
    expect(namesIn(folder)).toEqual([name])
    expect((await gantry('backend', 'list')).code).toBe(0)

    first.signal('SIGKILL')
    await first.exited
    expect(await gantry('backend', 'list')).toMatchObject({
      code: 69,
      error: expect.stringMatching(/passed over .*process \d+, which wrote it, has ended/),
    })
    const third = await aGatewayProcess({}, home)
    expect(namesIn(folder)).toHaveLength(1)
    expect((await gantry('open', '--print')).out).toBe(`${third.url}/admin\n`)
  })

  it('differs from another program on its port, which receives no key (security case EL-13)', async () => {
    const home = aFolder()
    const { run: folder, gantry } = homeAt(home)
    const real = await aGatewayProcess({}, home)
    // It passes the question on to the real one, and its answer back.
    const received: (string | undefined)[] = []
    const unauthenticated = createServer(({ headers, url }, response) => {
      received.push(headers.authorization)
      const passed = fetch(`${real.url}${url}`, { headers: { 'x-gantry-prove': String(headers['x-gantry-prove']) } })
      void passed.then((answer) => {
        const proof = answer.headers.get('x-gantry-proof')
        expect(proof).toMatch(/^[0-9a-f]{64}$/)
        response.setHeader('x-gantry-proof', String(proof)).end('{}')
      })
    })
    await new Promise<void>((resolve) => unauthenticated.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void unauthenticated.close())
    const address = unauthenticated.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0

    const [name = ''] = namesIn(folder)
    const announced = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { machine: string } // our own file
    expect(announced.machine).toBe(hostname())
    const moved = JSON.stringify({ ...announced, url: `http://127.0.0.1:${port}` })
    writeFileSync(join(folder, name), moved, { mode: 0o600 })
    expect(await gantry('backend', 'list')).toMatchObject({
      code: 69,
      error: expect.stringContaining('is not the headless gateway that wrote it'),
    })
    expect(received).toEqual([undefined])

    // An address that is not of this computer is not even asked.
    writeFileSync(join(folder, name), JSON.stringify({ ...announced, url: 'http://203.0.113.9' }), { mode: 0o600 })
    expect((await gantry('backend', 'list')).error).toContain('is no address of this computer')
  })
})
