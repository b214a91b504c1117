// Whose the unsaved drafts in the storage of the tab are: they go with their user.
export const DRAFT_PREFIX = 'gantry.draft '
const OWNER = 'gantry.draft-owner'

/** Drafts of another user of this tab are deleted; without an owner all are. */
export function ownDrafts(owner: string | null): void {
  try {
    if (owner !== null && (sessionStorage.getItem(OWNER) ?? owner) === owner)
      return sessionStorage.setItem(OWNER, owner)
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT_PREFIX)) sessionStorage.removeItem(key)
    if (owner === null) sessionStorage.removeItem(OWNER)
    else sessionStorage.setItem(OWNER, owner)
  } catch {
    // Storage is blocked: nothing was stored.
  }
}
