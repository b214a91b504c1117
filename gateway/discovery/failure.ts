// The errors of discovery. Each says what was wrong with the source and what to do about it.
import { GatewayError } from '../contract/error.ts'
import type { Discovery, Skipped } from './tool.ts'

export type Stage = 'fetch' | 'parse' | 'convert' | 'select' | 'introspect'

export function discoveryError(stage: Stage, message: string): GatewayError {
  return new GatewayError('DISCOVERY_ERROR', message, { details: { stage } })
}

/** Asked before the expensive part of a conversion as well as after it. */
export function refuseTooMany(count: number, maxTools: number): void {
  if (count <= maxTools) return
  const message = `The source has ${count} operations; at most ${maxTools} become tools. Select some of them, or raise MAX_TOOLS_PER_CLIENT.`
  throw new GatewayError('VALIDATION_ERROR', message, { details: { tools: count, limit: maxTools } })
}

const MAX_TOLD = 20

/** The first of what a source has and the backend does not. */
export function leftOut(noun: string, skipped: readonly Skipped[]): readonly string[] {
  const text = skipped
    .slice(0, MAX_TOLD)
    .map(({ operation, reason }) => `The ${noun} ${operation} is left out: ${reason}.`)
  const more = skipped.length - MAX_TOLD
  return more > 0 ? [...text, `${more} more ${noun}${more === 1 ? ' is' : 's are'} left out.`] : text
}

export const NO_OPERATION = 'The document has no operation under "paths".'

/** The limits every source ends with. */
export function bounded(discovery: Discovery, maxTools: number, nothing: string): Discovery {
  refuseTooMany(discovery.tools.length, maxTools)
  if (discovery.tools.length > 0) return discovery
  const reason = discovery.skipped[0]
  const why = reason === undefined ? '' : ` ${discovery.skipped.length} were skipped, the first: ${reason.reason}`
  throw discoveryError('select', `No tool was found. ${nothing}${why}`)
}
