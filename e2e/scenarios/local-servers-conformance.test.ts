// The conformance suites through a local server: our relay over standard input to the fixture upstream, in both eras. Long mode only.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { IS_LONG } from '../fuzz/mode.ts'
import { type ConformancePeer, startConformancePeer } from '../peers/mcp-conformance.ts'
import { aRefereedGateway, failedIn, judgeReleased, judgeRevision } from './conformance.fixture.ts'
import { aFolder, type Gateway } from './gateway.fixture.ts'
import { listed, writeServers } from './local-servers.fixture.ts'

const RELAY = new URL('../../dist/stdio/gantry-stdio.mjs', import.meta.url).pathname

async function aReferee(era: 'legacy' | 'modern'): Promise<{ gateway: Gateway; peer: ConformancePeer }> {
  const peer = await startConformancePeer(era, { resumes: false })
  onTestFinished(() => peer.close())
  const file = join(aFolder(), 'servers.json')
  const command = { command: process.execPath, args: [RELAY, '--url', peer.url], sharing: 'session' }
  writeServers(file, { referee: command })
  const gateway = await aRefereedGateway({ LOCAL_SERVERS_FILE: file })
  onTestFinished(gateway.end)
  await listed(gateway, 'referee')
  return { gateway, peer }
}

describe.skipIf(!IS_LONG)('a local server (long mode: GANTRY_FUZZ_RUNS)', () => {
  it('passes the released suite as it does directly', async () => {
    const { gateway } = await aReferee('legacy')
    const verdict = await judgeReleased(`${gateway.url}/mcp/referee`)
    expect(failedIn(verdict)).toEqual([])
    expect(Object.keys(verdict.scenarios)).toHaveLength(30)
  }, 300_000)

  it('passes what 2026-07-28 requires as it does directly', async () => {
    const { gateway, peer } = await aReferee('modern')
    const direct = await judgeRevision(peer.url, '2026-07-28')
    const through = await judgeRevision(`${gateway.url}/mcp/referee`, '2026-07-28')
    const known = new Set(failedIn(direct))
    expect(failedIn(through).filter((scenario) => !known.has(scenario))).toEqual([])
    expect(Object.keys(through.scenarios)).toEqual(Object.keys(direct.scenarios))
  }, 300_000)
})
