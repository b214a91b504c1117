// The door `#pcg-library`: graphs to start from and to insert, in the text form, with previews. Pure.
export { templateGraph, templateSteps } from './insert.ts'
export { TEMPLATES, type Template } from './templates.ts'
export { PREVIEWS, TEXTS } from './texts.ts'
