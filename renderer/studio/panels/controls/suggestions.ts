// What fits a property: names, tags, classes and assets of the level and the project.
import { createContext, use } from 'react'

export type Suggestion = { readonly value: string; readonly about?: string | undefined }
/** By the path of a property, such as `ActorSelector.ActorSelectionTag`. */
export type Suggest = (path: string) => readonly Suggestion[]

const NONE: readonly Suggestion[] = []
const Here = createContext<Suggest>(() => NONE)
export const SuggestProvider = Here.Provider
export const useSuggested = (path: string): readonly Suggestion[] => use(Here)(path)

export const MESHES = '(meshes)'

type Known = {
  readonly meshes: readonly string[]
  readonly graphs: readonly string[]
  readonly parameters: readonly Suggestion[]
  readonly actors: readonly { readonly name: string; readonly label: string; readonly class: string }[]
  readonly tagged: readonly { readonly label: string; readonly tags: readonly string[] }[]
}

/** Meshes of the engine that every project has. */
const BASIC = ['Cube', 'Sphere', 'Cylinder', 'Cone', 'Plane'].map((name) => `/Engine/BasicShapes/${name}.${name}`)

const shortName = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
const byPath = (paths: Iterable<string>): readonly Suggestion[] =>
  [...new Set(paths)].map((value) => ({ value, about: shortName(value) }))

function grouped(pairs: readonly (readonly [value: string, of: string])[]): readonly Suggestion[] {
  const groups = Map.groupBy(pairs, ([value]) => value)
  return [...groups]
    .map(([value, all]) => ({ value, about: all.map(([, of]) => of).join(', ') }))
    .toSorted((a, b) => a.value.localeCompare(b.value, 'en'))
}

export function suggestionsFor(path: string, known: Known): readonly Suggestion[] {
  const [last = ''] = path.split('.').slice(-1)
  switch (last) {
    case MESHES:
    case 'StaticMesh':
      return byPath([...known.meshes, ...BASIC])
    case 'SubgraphOverride':
      return byPath(known.graphs)
    case 'PropertyName':
      return known.parameters
    case 'ActorSelectionTag':
    case 'ComponentSelectionTag':
      return grouped(known.tagged.flatMap(({ label, tags }) => tags.map((tag) => [tag, label] as const)))
    case 'ActorSelectionClass':
    case 'TemplateActorClass':
      return grouped(known.actors.map((actor) => [actor.class, actor.label] as const))
    case 'TargetActor':
    case 'RootActor':
      return known.actors.map(({ name, label }) => ({ value: name, about: label }))
    default:
      return NONE
  }
}
