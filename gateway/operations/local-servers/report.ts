// How one local server is doing, as what runs it reports.
import type { LocalServer } from '../../contract/admin/local-servers.ts'

export type ServerReport = Pick<LocalServer, 'state' | 'reason' | 'file' | 'startMs' | 'handshakeMs' | 'waiting'> & {
  readonly processes: readonly LocalServer['processes'][number][]
  readonly lastOutput: readonly string[]
}
