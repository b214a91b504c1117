// How one local server is doing, as what runs it reports.
import type { LocalServer } from '../../contract/admin/local-servers.ts'

export type ServerReport = Pick<LocalServer, 'state' | 'reason' | 'file' | 'startMs' | 'handshakeMs' | 'waiting'> & {
  readonly processes: readonly LocalServer['processes'][number][]
  readonly network: readonly {
    readonly at: number
    readonly host: string
    readonly port: number
    readonly refused: string | null
  }[]
  readonly lastOutput: readonly string[]
}
