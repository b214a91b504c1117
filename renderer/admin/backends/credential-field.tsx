// The URL of a server, with the question whether it receives the stored credential.
import { z } from 'zod'
import type { ClientDetail } from '#contract'
import { t } from '../../language/language.ts'
import type { Control, FieldWords } from '../../ui/form/fields.ts'
import { textIn } from '../../ui/form/fields.ts'
import { CredentialChoice, detachedFrom } from './CredentialChoice.tsx'

export const KeepCredential = z.boolean().default(false)

export const SERVER_URL: FieldWords = {
  label: t('Base URL'),
  code: true,
  needed: true,
  hint: t('It is checked and pinned when it is saved.'),
}

export const keepsCredential = (backend: ClientDetail, url: string, keep: boolean): boolean =>
  keep && detachedFrom(backend, url) !== undefined

/** `path`: the field with the URL. */
export const keepField = (backend: ClientDetail, path: string): FieldWords => ({
  label: t('Credential'),
  draw: ({ value, draft, onChange }: Control) => (
    <CredentialChoice backend={backend} url={textIn(draft[path])} keep={value === true} onKeep={onChange} />
  ),
})
