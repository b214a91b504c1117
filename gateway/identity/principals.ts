// Who a call is made as, where its backend is called as people: a user of this gateway, or the subject of a token.
import type { Person } from '../auth/credential.ts'
import type { Base } from '../records/base.ts'
import { userBySubject } from '../storage/oidc.ts'
import { type UserRow, userByName } from '../storage/users.ts'

/** `id` is the same for a user of single sign-on and for tokens of the same issuer and subject. */
export type Principal = { readonly id: string; readonly name: string }

type Named = {
  readonly caller: { readonly person: Person | null; readonly namesPeople: boolean }
  readonly reserved: { readonly endUser: string | null }
}

export type Principals = ReturnType<typeof createPrincipals>

/** A user who was deactivated or deleted is no principal after this time. */
const FRESH_MS = 1_000
const MOST = 10_000

const idOf = (...parts: readonly string[]): string => JSON.stringify(parts)

/** The person of a call: whom a trusted key names, else its own. Undefined where it names someone and may not. */
export function personOfCall({ caller, reserved }: Named): Person | null | undefined {
  if (reserved.endUser === null) return caller.person
  return caller.namesPeople ? { kind: 'user', username: reserved.endUser } : undefined
}

function ofUser({ id, username, is_active, oidc_issuer, oidc_subject }: UserRow): Principal | undefined {
  if (is_active !== 1) return undefined
  const linked = oidc_issuer !== null && oidc_subject !== null
  return { id: linked ? idOf('subject', oidc_issuer, oidc_subject) : idOf('user', String(id)), name: username }
}

export function createPrincipals({ database, monotonic }: Pick<Base, 'database' | 'monotonic'>) {
  const known = new Map<string, { readonly principal: Principal | undefined; readonly at: number }>()

  async function read(person: Person): Promise<Principal | undefined> {
    if (person.kind === 'user') {
      const row = await userByName(database.query, person.username)
      return row && ofUser(row)
    }
    const { issuer, subject } = person
    const row = await userBySubject(database.query, issuer, subject)
    return row ? ofUser(row) : { id: idOf('subject', issuer, subject), name: subject }
  }

  return {
    /** A user of this instance changed: no caller keeps an earlier identity. */
    forget: (): void => known.clear(),
    /** Undefined for a user who does not exist, or is not active. */
    of(person: Person): Principal | undefined | Promise<Principal | undefined> {
      const key = person.kind === 'subject' ? idOf(person.issuer, person.subject) : `u ${person.username}`
      const at = monotonic()
      const found = known.get(key)
      if (found && at - found.at < FRESH_MS) return found.principal
      return read(person).then((principal) => {
        if (known.size >= MOST) known.clear()
        // Who does not exist yet may be created a moment later, and is found then.
        if (principal) known.set(key, { principal, at })
        else known.delete(key)
        return principal
      })
    },
  }
}
