// Configuration documents and their snapshots.
import type { configDocuments } from '../contract/admin/config-documents.ts'
import { register } from '../contract/admin/register.ts'
import { configSchema } from '../contract/config-document.ts'
import { GatewayError } from '../contract/error.ts'
import type { ConfigDocuments } from '../operations/config/index.ts'
import type { Handlers, MountDeps } from './mount.ts'

/** An import that registers backends is one more way to do what this route does. */
const REGISTER = `${register.register.method} ${register.register.path}`

const TYPES = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' } as const

/** The ETag of the configuration, as an export gave it. */
function hashIn(header: string | undefined): string | undefined {
  if (header === undefined || header === '*') return header
  const hash = /^"([0-9a-f]{64})"$/.exec(header)?.[1]
  if (hash !== undefined) return hash
  const message = 'must be * or the ETag of an export, in quotes'
  throw new GatewayError('VALIDATION_ERROR', `If-Match ${message}`, { fields: [{ path: 'If-Match', message }] })
}

export function configDocumentHandlers(
  documents: ConfigDocuments,
  { spend }: Pick<MountDeps, 'spend'>,
): Pick<Handlers<typeof configDocuments>, 'schema' | 'export' | 'import'> {
  return {
    schema: () => configSchema(),
    async export({ query }, context) {
      const { text, format, hash, at } = await documents.export(context, query)
      const etag = `"${hash}"`
      const headers = {
        etag,
        'x-exported-at': at,
        'content-disposition': `attachment; filename="gantry.${format}"`,
      }
      const held = context.request.headers['if-none-match']?.split(',').map((each) => each.trim()) ?? []
      if (held.includes(etag)) return { contentType: TYPES[format], body: '', headers, status: 304 }
      return { contentType: TYPES[format], body: text, headers }
    },
    async import({ query, body: { document, wish } }, context) {
      const registerClients = wish?.registerClients ?? query.registerClients ?? false
      const over = registerClients ? await spend('register', context.ip, REGISTER) : undefined
      if (over) throw over
      return documents.import(context, document, {
        mode: wish?.mode ?? query.mode ?? 'merge',
        dryRun: wish?.dryRun ?? query.dryRun ?? false,
        registerClients,
        keepCredential: wish?.keepCredential ?? query.keepCredential ?? false,
        confirm: wish?.confirm ?? query.confirm ?? false,
        leaveOut: wish?.leaveOut,
        expected: hashIn(context.request.headers['if-match']),
      })
    },
  }
}
