// Local servers on Windows, as far as Wine is one: real processes in real Job Objects. `windows.fixture.ts` runs inside.
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { inWine, runInWine } from '../../windows/wine.fixture.ts'

const MINUTES = 5 * 60_000

describe.skipIf(inWine !== '')(`local servers on Windows${inWine}`, () => {
  let seen: Record<string, unknown> = {}
  beforeAll(async () => {
    const output = await runInWine(path.join(import.meta.dirname, 'windows.fixture.ts'))
    seen = JSON.parse(output.slice(output.indexOf('{"')))
  }, MINUTES)

  it('a server answers, its memory is measured, and its stop ends three generations, one of them detached', () => {
    expect(seen['stop']).toEqual({ answered: true, before: 3, after: 0, measured: true })
  })

  it('all end with a gateway that is killed, also without the Job Object that Node has', () => {
    expect(seen['killed']).toEqual({ before: 6, gone: true })
  })

  it('what ran before it was held is held as well', () => {
    expect(seen['late']).toEqual({ held: true, gone: true })
  })

  it('one that holds more memory than its limit is ended with that reason', () => {
    expect(seen['memory']).toMatch(/^memory: it was ended because it held \d+ MiB, and its limit is 300 MiB/)
  })

  it('has variables of the system and its own, each once, and none of the gateway', () => {
    expect(seen['environment']).toEqual({
      own: ['C:\\own', 'C:\\mine'],
      twice: 0,
      hasSystemRoot: true,
      hasOfGateway: false,
    })
  })

  it('a batch file is a server, gets arguments as they are, and is refused those that cmd.exe would change', () => {
    expect(seen['batch']).toEqual({
      answered: true,
      reason: expect.stringMatching(/before the handshake\. Last output: a & b \(c\) d\|e f<g>h$/),
      refusal: expect.stringContaining('the argument "%PATH%" contains a quote, a percent sign or a line break'),
    })
  })

  it('the sandbox of the operating system is refused, and nothing is started with less', () => {
    expect(seen['sandbox']).toContain('it asks for the sandbox of the operating system, which is not available')
  })
})
