// Values of the gateway that people read: the outcomes of calls and the roles of users.
import { t } from '../language/language.ts'

const WORDS: Readonly<Record<string, string>> = {
  success: t('success'),
  error: t('error'),
  refused: t('refused'),
  cancelled: t('cancelled'),
  skipped: t('skipped'),
  viewer: t('viewer'),
  auditor: t('auditor'),
  operator: t('operator'),
  admin: t('admin'),
}

export const wireWord = (value: string): string => (Object.hasOwn(WORDS, value) ? WORDS[value] : undefined) ?? value
