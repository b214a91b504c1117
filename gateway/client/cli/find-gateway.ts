// The gateway that a command uses when none is named: this user's own, running here, after it proved that.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Announcement, PROOF_HEADER, PROVE_HEADER, proofOf } from '../../instance/announcement.ts'
import { type PassedOver, readAnnouncements } from '../../instance/read.ts'
import { Unreachable, UsageError } from './exit.ts'
import { open, targetOf } from './transport.ts'

const PROOF_MS = 5_000

export type LocalGateways = { readonly running: readonly Announcement[]; readonly passedOver: readonly PassedOver[] }

/** Asked without a key: any program may listen there. */
async function whyNot(announcement: Announcement): Promise<string | undefined> {
  const { url, home } = announcement
  const nonce = randomBytes(16).toString('hex')
  try {
    const answer = await open(targetOf(url, null), {
      method: 'GET',
      path: '/livez',
      headers: { [PROVE_HEADER]: nonce },
      signal: AbortSignal.timeout(PROOF_MS),
    })
    answer.resume()
    const proof = Buffer.from(String(answer.headers[PROOF_HEADER] ?? ''))
    const wanted = Buffer.from(proofOf(announcement, nonce))
    if (proof.length === wanted.length && timingSafeEqual(proof, wanted)) return undefined
    return `what answers at ${url} is not the ${home} gateway that wrote it`
  } catch (error) {
    if (error instanceof UsageError) return `${url} is no address of this computer`
    return `nothing answers at ${url}`
  }
}

export async function localGateways(folder: string): Promise<LocalGateways> {
  const { running, passedOver } = readAnnouncements(folder)
  const judged = await Promise.all(running.map(async (each) => ({ each, why: await whyNot(each) })))
  return {
    running: judged.flatMap(({ each, why }) => (why === undefined ? [each] : [])),
    passedOver: [
      ...passedOver,
      ...judged.flatMap(({ each, why }) =>
        why === undefined ? [] : [{ file: `${folder}/${each.instance}.json`, why }],
      ),
    ],
  }
}

/** `tell` receives what was passed over: a person who wonders where the gateway is should not have to look for it. */
export async function findGateway(folder: string, tell: (line: string) => void): Promise<string> {
  const { running, passedOver } = await localGateways(folder)
  for (const { file, why } of passedOver) tell(`passed over ${file}: ${why}`)
  const [one, other] = running
  if (one === undefined) throw new Unreachable('no gateway of yours runs on this computer')
  if (other === undefined) return one.url
  const each = running.map(({ url, home }) => `${url} (${home})`).join(', ')
  throw new UsageError(`${running.length} gateways of yours run on this computer: ${each}. Say which with --url`)
}
