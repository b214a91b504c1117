// What follows a change of the gateway outside the window: the tray's words, a notice, the first key.
import { z } from 'zod'
import type { GatewayStatus } from '#channels'
import type { AgentKey } from './agent-key.ts'
import { plural, t } from './language.ts'
import type { Notices } from './notices.ts'
import type { Services } from './services.ts'
import type { TrayIcon } from './tray.ts'
import { APPROVALS_PAGE } from './tray-menu.ts'

type Parts = {
  readonly services: Pick<Services, 'status' | 'adminRequest'>
  readonly tray: TrayIcon
  readonly notices: Notices
  readonly agentKey: Pick<AgentKey, 'ensure'>
  readonly say: (line: string) => void
}

export type Watch = {
  readonly changed: (status: GatewayStatus) => void
  readonly received: (topic: string) => void
  /** In another language. */
  readonly redraw: () => void
}

const Counted = z.object({ approvals: z.object({ pending: z.number() }) })

export function createWatch({ services, tray, notices, agentKey, say }: Parts): Watch {
  let pending = 0
  let movedFrom: string | null = null
  tray.show(services.status(), pending)

  /** As the overview counts them. */
  async function countApprovals(): Promise<void> {
    const answer = await services.adminRequest({ method: 'GET', path: '/admin-api/overview', headers: {} })
    if (answer.status !== 200) return
    const before = pending
    pending = Counted.parse(JSON.parse(answer.body)).approvals.pending
    if (pending > before)
      notices.tell(
        t('A call waits for you'),
        plural(pending, '{count} call waits for approval.', '{count} calls wait for approval.'),
        APPROVALS_PAGE,
      )
    if (pending !== before) tray.show(services.status(), pending)
  }

  async function announce({ url, movedFrom: from }: GatewayStatus): Promise<void> {
    if (from !== null && from !== movedFrom)
      notices.tell(
        t('Gantry has another address'),
        t('Another program holds {from}. Agents find Gantry at {url} now.', { from, url }),
      )
    movedFrom = from
    // The data plane is closed: the first agent needs a key.
    await agentKey.ensure()
    await countApprovals()
  }

  const failed = (error: unknown): void => say(`After the start of the gateway: ${String(error)}\n`)
  return {
    redraw: () => tray.show(services.status(), pending),
    changed(status) {
      tray.show(status, pending)
      if (status.state === 'running') announce(status).catch(failed)
    },
    received(topic) {
      if (topic === 'approvals') countApprovals().catch(failed)
    },
  }
}
