// The languages of the interface, as entries of a menu. The choice is kept in this browser.
import { Languages } from 'lucide-react'
import { changeLanguage, LANGUAGE_TAGS, LANGUAGES, language } from '../language/language.ts'
import { MenuItem } from '../ui/Menu.tsx'

export function LanguageItems() {
  return LANGUAGE_TAGS.map((each) => (
    <MenuItem key={each} icon={<Languages />} onSelect={() => each !== language && changeLanguage(each)}>
      <span lang={each} aria-current={each === language} className={each === language ? 'font-semibold' : ''}>
        {LANGUAGES[each]}
      </span>
    </MenuItem>
  ))
}
