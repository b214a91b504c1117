// The WebSocket of a tool: its address is vetted when it is set and dialled as vetted, and no caller sets the vetted address. Contract 8.13.
import type { KeptWs, WsCfg } from '../../contract/admin/socket-features.ts'
import type { Place, World } from './context-budget.ts'

export async function readySocket(ws: WsCfg, _place: Place, { outbound }: Pick<World, 'outbound'>): Promise<KeptWs> {
  const { addresses } = await outbound.pinSocket(ws.wsUrl, 'ws.wsUrl')
  return { ...ws, addresses }
}

export function withoutAddresses({ addresses: _addresses, ...ws }: KeptWs): WsCfg {
  return ws
}
