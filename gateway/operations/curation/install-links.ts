// Install links: a token that shows its holder a bundle, and the one key made with it. Contract 7.4, 7.5, 10.3.

import { createHash, randomBytes } from 'node:crypto'
import type { ManagedKeys } from '../../auth/managed-keys.ts'
import type { InstallLink, InstallLinkInput, InstallView } from '../../contract/admin/install-links.ts'
import { connectClients } from '../../contract/connect.ts'
import { GatewayError } from '../../contract/error.ts'
import { SEARCH_TOOL } from '../../contract/names.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { Audit, By } from '../../records/changes.ts'
import type { Bundle, Curated } from '../../registry/curated.ts'
import {
  type InstallLinkRow,
  insertLink,
  type LinkByToken,
  linkByToken,
  linkOf,
  linksBefore,
  noteLinkView,
  revokeLink,
  setLinkKey,
  standingLinks,
} from '../../storage/install-links.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import type { Tx } from '../../storage/schema.ts'
import type { Shown } from '../../surfaces/show-bundle.ts'
import { freshValue, type McpKeys } from '../access/mcp-keys.ts'

export type InstallLinkDeps = Pick<Base, 'database' | 'changes' | 'box' | 'clock'> & {
  readonly curated: Pick<Curated, 'bundle'>
  readonly mcpKeys: Pick<McpKeys, 'mint' | 'revokeIn' | 'committed'>
  readonly live: Pick<ManagedKeys, 'callerOf'>
  readonly show: (name: string, caller: NonNullable<Awaited<ReturnType<ManagedKeys['callerOf']>>>) => Shown
  readonly deepLinks: boolean
}
/** How a visitor reached the page, and whether a person really opened it. */
export type Viewing = {
  readonly requestId: string
  readonly ip: string
  readonly baseUrl: string
  readonly counts: boolean
}
export type InstallLinks = ReturnType<typeof createInstallLinks>

const PREFIX_LENGTH = 12
const MOST_LABEL = 128
const hash = (token: string): string => createHash('sha256').update(token).digest('hex')
/** Sealed for the link of this token, and of no use in another's place. */
export const linkKeyRef = (tokenHash: string): string => `install-link:${tokenHash}:key`

const linkNotFound = (): GatewayError => new GatewayError('INSTALL_LINK_NOT_FOUND', 'There is no such install link')

function requireFuture(field: string, at: string | null, nowMs: number): void {
  if (at === null || Date.parse(at) > nowMs) return
  const message = 'must be in the future'
  throw new GatewayError('VALIDATION_ERROR', `${field} ${message}`, { fields: [{ path: field, message }] })
}

const linkRecord = (row: InstallLinkRow, bundleName: string): InstallLink => ({
  id: row.id,
  bundleName,
  label: row.label,
  tokenPrefix: row.token_prefix,
  mcpKeyId: row.mcp_key_id,
  createdBy: row.created_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  useCount: row.use_count,
})

export function createInstallLinks(parts: InstallLinkDeps) {
  const { database, changes, curated, mcpKeys, live, show, box, deepLinks, clock } = parts
  const at = (): string => new Date(clock.now()).toISOString()

  function bundleOf(actor: Actor, name: string): Bundle {
    const bundle = curated.bundle(name)
    if (bundle === undefined || !mayTouch(actor, bundle)) throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
    return bundle
  }

  /** A link shows nothing once it, its key or its bundle has ended; which of them ended is not revealed. */
  function stands(row: LinkByToken | undefined): row is LinkByToken & { readonly sealed_key: string } {
    const over = (end: string | null | undefined): boolean => end != null && end <= at()
    return (
      row?.sealed_key != null &&
      row.revoked_at === null &&
      !over(row.expires_at) &&
      row.key_enabled === 1 &&
      row.key_revoked_at === null &&
      !over(row.key_expires_at)
    )
  }

  async function revoke(tx: Tx, audit: Audit, row: InstallLinkRow, bundle: string): Promise<number> {
    await revokeLink(tx, row.id, at())
    await audit('bundle.install_link.revoke', bundle, { id: row.id })
    await mcpKeys.revokeIn(tx, audit, row.mcp_key_id, 'the install link was revoked')
    return row.mcp_key_id
  }

  return {
    async list(actor: Actor, name: string, { limit, cursor }: Paging): Promise<Page<InstallLink>> {
      const { id: bundleId } = bundleOf(actor, name)
      const rows = await linksBefore(database.query, { bundleId, before: beforeId(cursor), limit: limit + 1 })
      return pageById(
        rows.map((row) => linkRecord(row, name)),
        limit,
      )
    },

    async create(
      by: By,
      name: string,
      { label, expiresAt, keyExpiresAt }: InstallLinkInput,
      baseUrl: string,
    ): Promise<InstallLink & { token: string; url: string }> {
      const bundle = bundleOf(by.actor, name)
      if (bundle.tools.length + bundle.composites.length === 0)
        throw new GatewayError('EMPTY_BUNDLE', 'There is nothing in this bundle yet: add a tool first')
      requireFuture('expiresAt', expiresAt, clock.now())
      requireFuture('keyExpiresAt', keyExpiresAt, clock.now())
      const token = `gil_${randomBytes(32).toString('base64url')}`
      const value = freshValue()
      // Before the transaction: a key service may be slow, and a link without its key is useless.
      const sealed_key = await box.seal(value.key, linkKeyRef(hash(token)))
      const { row, keyId } = await changes(by, async (tx, audit) => {
        const id = await insertLink(tx, {
          bundle_id: bundle.id,
          label: label ?? null,
          token_hash: hash(token),
          token_prefix: token.slice(0, PREFIX_LENGTH),
          mcp_key_id: 0,
          sealed_key,
          created_at: at(),
          created_by: by.actor.name,
          expires_at: expiresAt,
          revoked_at: null,
          last_used_at: null,
        })
        const minted = await mcpKeys.mint(tx, audit, by, {
          label:
            label === undefined ? `Install link ${id} of ${name}` : `${label} (link to ${name})`.slice(0, MOST_LABEL),
          scopes: { bundles: [name] },
          expiresAt: keyExpiresAt,
          consumerId: null,
          elevated: false,
          adminRole: null,
          allowedTools: null,
          person: null,
          namesPeople: false,
          teamId: bundle.teamId,
          installLinkId: id,
          value,
        })
        await setLinkKey(tx, id, minted.id)
        await audit('bundle.install_link.create', name, { id, label: label ?? null, expiresAt, mcpKeyId: minted.id })
        const made = await linkOf(tx, bundle.id, id)
        // Another request may have removed the bundle, and the link with it.
        if (made === undefined) throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
        return { row: made, keyId: minted.id }
      })
      await mcpKeys.committed(keyId)
      return { ...linkRecord(row, name), token, url: `${baseUrl}/install/${token}` }
    },

    async revoke(by: By, name: string, given: string): Promise<void> {
      // A bundle that does not exist has no links either: one answer for both.
      const bundle = curated.bundle(name)
      const id = idIn(given)
      if (bundle === undefined || id === undefined || !mayTouch(by.actor, bundle)) throw linkNotFound()
      const keyId = await changes(by, async (tx, audit) => {
        const row = await linkOf(tx, bundle.id, id)
        if (row === undefined || row.revoked_at !== null) throw linkNotFound()
        return revoke(tx, audit, row, name)
      })
      await mcpKeys.committed(keyId)
    },

    /** With the bundle, in its transaction; the keys to tell `mcpKeys.committed` of afterwards. */
    async withdraw(tx: Tx, audit: Audit, bundle: { readonly id: number; readonly name: string }): Promise<number[]> {
      const keys: number[] = []
      for (const row of await standingLinks(tx, bundle.id)) keys.push(await revoke(tx, audit, row, bundle.name))
      return keys
    },

    /** What the holder of a token sees. Throws INSTALL_LINK_NOT_FOUND, alike for every token that shows nothing. */
    async view(token: string, { requestId, ip, baseUrl, counts }: Viewing): Promise<InstallView> {
      const row = await linkByToken(database.query, hash(token))
      if (!stands(row)) throw linkNotFound()
      const [key, caller] = await Promise.all([
        box.open(row.sealed_key, linkKeyRef(row.token_hash)),
        live.callerOf(row.mcp_key_id),
      ])
      const bundle = curated.bundle(row.bundle)
      // A key that was rotated is not the one kept here.
      if (bundle === undefined || caller === undefined || hash(key) !== row.key_hash) throw linkNotFound()
      if (counts)
        await changes(
          { actor: { name: `install-link:${row.id}`, teamId: bundle.teamId }, requestId },
          async (tx, audit) => {
            await noteLinkView(tx, row.id, at())
            await audit('bundle.install_link.view', bundle.name, { id: row.id, ip })
          },
        )
      const { tools } = show(bundle.name, caller)
      const url = `${baseUrl}/mcp-custom/${bundle.name}`
      const clients = connectClients({ name: `gantry-${bundle.name}`, url, key, deepLinks })
      const { snippet, instructions } = clients.find(({ id }) => id === 'generic-json') ?? {
        snippet: '',
        instructions: [],
      }
      return {
        bundle: {
          name: bundle.name,
          description: bundle.description,
          tools: tools.flatMap(({ client, tool, name, description }) =>
            client === null ? [] : [{ client, tool, name, description }],
          ),
          composites: tools
            .filter(({ client, name }) => client === null && name !== SEARCH_TOOL)
            .map(({ name, description }) => ({ name, description })),
        },
        connect: {
          url,
          transport: 'streamable-http',
          headers: { Authorization: `Bearer ${key}` },
          filename: 'mcp.json',
          snippet,
          instructions,
          clients,
        },
      }
    },
  }
}
