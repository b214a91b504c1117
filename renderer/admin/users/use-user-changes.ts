// The changes to users; each leaves the list true, also when it was refused.
import type { Role, UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

export type UserChange = { readonly role?: Role; readonly isActive?: boolean; readonly password?: string }

export function useUserChanges() {
  const { settled } = useInvalidate('users', 'overview')

  const update = (user: UserRecord, change: UserChange): Promise<UserRecord> =>
    settled(api.users.update({ params: { username: user.username }, body: { ...change, revision: user.revision } }))

  return {
    update,
    /** Says that it was done, with the way back. */
    async updateWithUndo(user: UserRecord, change: UserChange, undo: UserChange, done: string): Promise<void> {
      const changed = await update(user, change)
      notifyDone(done, () => update(changed, undo))
    },
    async create(body: { username: string; password: string; role: Role }): Promise<void> {
      await settled(api.users.create({ body }))
      notifyDone(`${body.username} may sign in now`)
    },
    async remove(user: UserRecord): Promise<void> {
      await settled(api.users.delete({ params: { username: user.username }, ifMatch: user.revision }))
      notifyDone(`${user.username} was deleted`)
    },
  }
}
