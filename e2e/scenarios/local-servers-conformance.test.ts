// The released conformance suite through a local server: our relay over standard input to the fixture upstream. Long mode only.
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startConformancePeer } from '../peers/mcp-conformance.ts'
import { aRefereedGateway, failedIn, judgeReleased } from './conformance.fixture.ts'
import { aFolder } from './gateway.fixture.ts'
import { listed, writeServers } from './local-servers.fixture.ts'

const RELAY = new URL('../../dist/stdio/gantry-stdio.mjs', import.meta.url).pathname

it.skipIf(process.env.GANTRY_FUZZ_RUNS === undefined)(
  'a local server passes the released suite as it does directly (long mode: GANTRY_FUZZ_RUNS)',
  async () => {
    const peer = await startConformancePeer('legacy', { resumes: false })
    onTestFinished(() => peer.close())
    const file = join(aFolder(), 'servers.json')
    const command = { command: process.execPath, args: [RELAY, '--url', peer.url], sharing: 'session' }
    writeServers(file, { referee: command })
    const gateway = await aRefereedGateway({ LOCAL_SERVERS_FILE: file })
    onTestFinished(gateway.end)
    await listed(gateway, 'referee')
    const verdict = await judgeReleased(`${gateway.url}/mcp/referee`)
    expect(failedIn(verdict)).toEqual([])
    expect(Object.keys(verdict.scenarios)).toHaveLength(30)
  },
  300_000,
)
