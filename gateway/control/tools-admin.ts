// The tools that grant access, for admins.
import { z } from 'zod'
import { BundleDetail, BundleInput } from '../contract/admin/bundles.ts'
import { KeyInput, KeyRecord } from '../contract/admin/mcp-keys.ts'
import { Name } from '../contract/names.ts'
import { Id, Iso } from '../contract/page.ts'
import { type SysTool, sysTool } from './tool.ts'

const common = { tier: 'admin', idempotent: false } as const
const { description, tools } = BundleInput.shape

export const ADMIN_TOOLS: readonly SysTool[] = [
  sysTool({
    ...common,
    stepUp: 'confirm',
    name: 'sys_create_bundle',
    title: 'Create a bundle',
    description:
      'Creates a bundle of tools of several backends, live at once on /mcp-custom/<name>. Every tool must exist, or nothing is made.',
    args: z.strictObject({ name: Name, description, tools }),
    reply: BundleDetail,
    targets: ({ tools: members }) => [{ kind: 'members', members }],
    run: (bundle, { operations, by }) => operations.bundles.create(by, { ...bundle, composites: [], enabled: true }),
  }),
  sysTool({
    ...common,
    stepUp: 'env',
    name: 'sys_mint_key',
    title: 'Mint a key',
    description:
      'Mints a managed key for an MCP client and shows its value this one time. Only for the admin key of the environment. Scope it to what its holder needs.',
    args: KeyInput.omit({ allowedTools: true }),
    reply: KeyRecord.extend({ key: z.string() }),
    run: (key, { operations, by }) => operations.keys.create(by, { ...key, allowedTools: null }),
  }),
  sysTool({
    ...common,
    stepUp: 'confirm',
    destructive: true,
    name: 'sys_revoke_key',
    title: 'Revoke a key',
    description: 'Revokes a managed key permanently; its clients lose access at once.',
    args: z.strictObject({ id: Id }),
    reply: z.object({ id: Id, revokedAt: Iso }),
    targets: ({ id }) => [{ kind: 'key', id }],
    run: async ({ id }, { operations, by }) => {
      const { revokedAt } = await operations.keys.revoke(by, String(id), {})
      return { id, revokedAt: revokedAt ?? '' }
    },
  }),
]
