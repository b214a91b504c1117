// All German texts in one chunk, which is loaded only if German is chosen.
import type { Catalogue } from '#language'

const AREAS = import.meta.glob<Catalogue>('../**/de.json', { eager: true, import: 'default' })

export const GERMAN: Catalogue = Object.assign({}, ...Object.values(AREAS))
