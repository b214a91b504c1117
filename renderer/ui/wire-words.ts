// Values of the gateway that people read: outcomes of calls, states of editors, roles of users.
import { t } from '../language/language.ts'

const WORDS: Readonly<Record<string, string>> = {
  success: t('success'),
  error: t('error'),
  refused: t('refused'),
  cancelled: t('cancelled'),
  skipped: t('skipped'),
  connected: t('connected'),
  connecting: t('connecting'),
  disconnected: t('disconnected'),
  busy: t('busy'),
  viewer: t('viewer'),
  auditor: t('auditor'),
  operator: t('operator'),
  admin: t('admin'),
}

export const wireWord = (value: string): string => (Object.hasOwn(WORDS, value) ? WORDS[value] : undefined) ?? value
