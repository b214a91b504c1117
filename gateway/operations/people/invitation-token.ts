// The token of an invitation link: made here, stored as a hash, and written into the address of its page.
import { createHash, randomBytes } from 'node:crypto'
import { GatewayError } from '../../contract/error.ts'

export type InvitationInput = { readonly expiresAt: string }

const LONGEST_MS = 30 * 86_400_000

export const hashOfInvitation = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A new token as its address, and what of it is stored. */
export function newInvitation({ expiresAt }: InvitationInput, nowMs: number, baseUrl: string) {
  const inMs = Date.parse(expiresAt) - nowMs
  if (inMs <= 0 || inMs > LONGEST_MS) {
    const message = 'must be in the future, and at most 30 days from now'
    throw new GatewayError('VALIDATION_ERROR', `expiresAt ${message}`, { fields: [{ path: 'expiresAt', message }] })
  }
  const token = `giu_${randomBytes(32).toString('base64url')}`
  return {
    url: `${baseUrl}/admin/invite/${token}`,
    columns: { invitation_hash: hashOfInvitation(token), invitation_expires_at: expiresAt },
  }
}
