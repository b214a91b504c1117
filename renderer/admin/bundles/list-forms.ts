// The forms of a list of tools, in words.
import type { ListMode } from '#contract'
import { t } from '../../language/language.ts'

export const FORMS: Readonly<Record<ListMode, string>> = {
  full: t('Full list'),
  compact: t('Short list'),
  router: t('Search and call'),
  auto: t('What costs least'),
}
