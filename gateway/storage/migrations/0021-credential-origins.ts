// Each stored credential names the origins it was given for; one from before, those its backend is configured with now.
import type { Tx } from '../schema.ts'
import type { Migration } from './migration.ts'

const originsOf = (urls: readonly unknown[]): string[] => [
  ...new Set(urls.flatMap((url) => (typeof url === 'string' && URL.canParse(url) ? [new URL(url).origin] : []))),
]
// Written by the gateway, as objects.
const read = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>

async function bind(tx: Tx): Promise<void> {
  const rows = await tx
    .selectFrom('backends')
    .select(['id', 'base_url', 'canary', 'upstream_auth_info', 'oauth_info'])
    .where((row) => row.or([row('upstream_auth_info', 'is not', null), row('oauth_info', 'is not', null)]))
    .execute()
  for (const { id, base_url, canary, upstream_auth_info, oauth_info } of rows) {
    const pool = await tx.selectFrom('lb_targets').select('base_url').where('backend_id', '=', id).execute()
    const second = canary === null ? undefined : read(canary).secondaryBaseUrl
    const origins = originsOf([base_url, second, ...pool.map((target) => target.base_url)])
    const oauth = oauth_info === null ? null : read(oauth_info)
    await tx
      .updateTable('backends')
      .set({
        upstream_auth_info:
          upstream_auth_info === null
            ? null
            : (JSON.stringify({ ...read(upstream_auth_info), origins }) as typeof upstream_auth_info), // in the form of that version
        oauth_info:
          oauth && // as above
          (JSON.stringify({
            ...oauth,
            origins,
            secretOrigins: originsOf([oauth.tokenUrl]),
          }) as typeof oauth_info),
      })
      .where('id', '=', id)
      .execute()
  }
}

export const credentialOrigins: Migration = {
  version: 21,
  name: 'credential_origins',
  up: (_schema, _engine, tx) => bind(tx),
}
