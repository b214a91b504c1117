// The errors of discovery. Each says what was wrong with the source and what to do about it.
import { GatewayError } from '../contract/error.ts'
import type { Discovery } from './tool.ts'

export type Stage = 'fetch' | 'parse' | 'convert' | 'select' | 'introspect'

export function discoveryError(stage: Stage, message: string): GatewayError {
  return new GatewayError('DISCOVERY_ERROR', message, { details: { stage } })
}

/** The limits every source ends with. */
export function bounded(discovery: Discovery, maxTools: number, nothing: string): Discovery {
  const count = discovery.tools.length
  if (count > maxTools) {
    const message = `The source has ${count} operations; at most ${maxTools} become tools. Select some of them, or raise MAX_TOOLS_PER_CLIENT.`
    throw new GatewayError('VALIDATION_ERROR', message, { details: { tools: count, limit: maxTools } })
  }
  if (count > 0) return discovery
  const reason = discovery.skipped[0]
  const why = reason === undefined ? '' : ` ${discovery.skipped.length} were skipped, the first: ${reason.reason}`
  throw discoveryError('select', `No tool was found. ${nothing}${why}`)
}
