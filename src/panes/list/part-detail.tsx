import type {ReactNode} from 'react';
import {describeOperation} from '../../domain/describe-operation.ts';
import {columnFields, foldedLines, jsonLines, recordLines} from '../../resources/detail.ts';
import type {RelatedGroup} from '../../resources/related.ts';
import {type Line, lineWidth, textOf} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import type {BoundPart, CollectionPart, PartProps, PartRows, PartView, Preview} from './part.tsx';
import {feedFrame} from '../feed-state.ts';
import {memoBox, type Scene} from '../pane.ts';
import {historyLines, subjectsOf} from '../history-lines.ts';
import {relatedPreview} from '../related-lines.ts';
import {LIST_VIEW} from './resource-list.tsx';
import {linesInSight, type Page, type Scroll, searchLabel} from '../scroll.ts';
import type {Place} from '../sizes.ts';

/** The width of the detail's edges. */
const EDGE_CELLS = 4;

/** The detail of the row under the cursor, beside its list or over the whole pane. */
export function partDetail<Row extends object, Of, Own>(
  rows: PartRows<Row, Of, Own>,
): Pick<BoundPart<Own>, 'hasDetail' | 'Detail' | 'detailPage'> {
  const {part, list, at, rowUnderCursor} = rows;

  function detailPage(scene: Scene, view: PartView<Own>, place: Place): Page {
    return {lines: detailLines(rows, scene, view, place.columns - EDGE_CELLS), rows: Math.max(0, place.rows - 2)};
  }

  function Detail({scene, view, place, scroll}: PartProps<Own> & {readonly scroll: Scroll}): ReactNode {
    const row = rowUnderCursor(scene, view);
    const page = detailPage(scene, view, place);
    const found = searchLabel(scroll, page);
    const {right: ageAt = () => '', ...frame} = frameOf(part, scene);
    return (
      <TitledBox
        {...frame}
        title={row === undefined ? part.title : part.nameOf(row)}
        right={at => {
          const age = ageAt(at);
          return [
            {text: found, tone: 'marked'},
            {text: found === '' || age === '' ? age : `  ${age}`, tone: 'dim'},
          ];
        }}
        lines={linesInSight(scroll, page).map((line): Line => [{text: ' '}, ...line])}
        width={place.columns}
        height={place.rows}
      />
    );
  }

  return {
    // A filter that hides every row leaves the detail in its place.
    hasDetail: (scene, view) => list.shown({...at(scene, view), view: LIST_VIEW}).totalCount !== 0,
    Detail: memoBox(Detail, {countsSeconds: true}),
    detailPage,
  };
}

function detailLines<Row extends object, Of, Own>(
  {part, list, at, rowUnderCursor}: PartRows<Row, Of, Own>,
  scene: Scene,
  view: PartView<Own>,
  width: number,
): readonly Line[] {
  const row = rowUnderCursor(scene, view);
  if (row === undefined) {
    // The list has one line for why it is empty; a longer reason is shown here in full.
    const reason = list.emptyLine(at(scene, view));
    const isUnread = list.shown(at(scene, view)).totalCount === undefined;
    return isUnread && lineWidth(reason) > width ? wrapLine(reason, width) : [];
  }
  if (view.isRecord === true) {
    const record = part.record?.(row);
    const json =
      record === undefined ? part.ownRecord && jsonLines(part.ownRecord(row, scene)) : recordLines(scene, record);
    if (json !== undefined) return json.flatMap(line => foldedJson(textOf(line), width));
  }
  const lines = part.detail?.(row, scene, width) ?? columnFields(part.columns, row, width);
  return [...underWayLines(part, scene, row, width), ...foldedLines(lines, width)];
}

/** Folded below its own indentation. */
function foldedJson(text: string, width: number): readonly Line[] {
  const rest = text.trimStart();
  return hangingLines([{text: text.slice(0, text.length - rest.length)}], [{text: rest}], width);
}

function underWayLines<Row extends object, Of, Own>(
  {subjectOf}: CollectionPart<Row, Of, Own>,
  {operations}: Scene,
  row: Row,
  width: number,
): readonly Line[] {
  const subject = subjectOf?.(row);
  const operation = subject === undefined ? undefined : operations?.openOn(subject);
  return operation === undefined ? [] : wrapLine([{text: describeOperation(operation).text, tone: 'accent'}], width);
}

/** What belongs to the row under the cursor: named in a menu and, in a wide terminal, shown in a box below the list. */
export function partPreview<Row extends object, Of, Own>({
  part,
  list,
  at,
  ofAt,
  rowUnderCursor,
}: PartRows<Row, Of, Own>): Pick<BoundPart<Own>, 'rowsAboveFold' | 'PreviewBox' | 'hasRelated' | 'relatedHere'> {
  const hasPreview = part.preview !== undefined || boxedRelated(part) !== undefined;

  function relatedTo(row: Row, scene: Scene, view: PartView<Own>): readonly RelatedGroup[] {
    return part.related?.(row, scene, ofAt(scene, view)) ?? [];
  }

  function previewOf(row: Row, scene: Scene, view: PartView<Own>, place: Place): Preview {
    if (part.preview !== undefined) return part.preview(row, scene, place);
    return {title: `related to ${part.nameOf(row)}`, lines: relatedPreview(scene, relatedTo(row, scene, view), place)};
  }

  function PreviewBox({scene, view, place}: PartProps<Own>): ReactNode {
    const row = rowUnderCursor(scene, view);
    const preview = row === undefined ? {title: '', lines: []} : previewOf(row, scene, view, place);
    return <TitledBox {...frameOf(part, scene)} {...preview} width={place.columns} height={place.rows} />;
  }

  return {
    rowsAboveFold: (scene, view) => (hasPreview ? list.shown(at(scene, view)).rows.length : undefined),
    PreviewBox: memoBox(PreviewBox, {countsSeconds: true}),
    hasRelated: part.related !== undefined,
    relatedHere: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : {name: part.nameOf(row), groups: relatedTo(row, scene, view)};
    },
  };
}

/**
 * The history of a row and of what belongs to it, or what the part shows instead: below the detail, if there is room.
 */
export function partBeside<Row extends object, Of, Own>({
  part,
  ofAt,
  rowUnderCursor,
}: PartRows<Row, Of, Own>): Pick<BoundPart<Own>, 'hasBeside' | 'BesideBox'> {
  function besideOf(row: Row, scene: Scene, view: PartView<Own>, place: Place): Preview {
    if (part.beside !== undefined) return part.beside(row, scene, place);
    const groups = boxedRelated(part)?.(row, scene, ofAt(scene, view)) ?? [];
    const subject = part.subjectOf?.(row);
    const own = subject === undefined || !('id' in subject) ? [] : [`${subject.type} ${subject.id}`];
    return {
      title: groups.length === 0 ? 'recent events' : 'recent events, with what is related',
      lines: historyLines(scene, {subjects: subjectsOf(own, groups)}, place.columns - 3, place.rows - 4),
    };
  }

  function BesideBox({scene, view, place}: PartProps<Own>): ReactNode {
    const row = rowUnderCursor(scene, view);
    const beside = row === undefined ? {title: '', lines: []} : besideOf(row, scene, view, place);
    const {theme, isLinkDown = false} = frameOf(part, scene);
    const size = {width: place.columns, height: place.rows};
    return <TitledBox theme={theme} isLinkDown={isLinkDown} {...beside} {...size} />;
  }

  return {
    hasBeside: part.beside !== undefined || hasHistory(part),
    BesideBox: memoBox(BesideBox, {countsSeconds: true}),
  };
}

/** What the boxes below the list and beside the detail show. */
export function boxedRelated<Row extends object, Of, Own>({
  related,
  isRelatedInMenuAlone,
}: CollectionPart<Row, Of, Own>): CollectionPart<Row, Of, Own>['related'] {
  return isRelatedInMenuAlone === true ? undefined : related;
}

/** Whether the timeline can report on its rows. */
export function hasHistory<Row extends object, Of, Own>(part: CollectionPart<Row, Of, Own>): boolean {
  return part.subjectOf !== undefined || boxedRelated(part) !== undefined;
}

function frameOf(
  {feed, detailFeed = feed}: Pick<CollectionPart<never>, 'feed' | 'detailFeed'>,
  scene: Scene,
): Pick<ReturnType<typeof feedFrame>, 'theme' | 'isLinkDown'> & Partial<ReturnType<typeof feedFrame>> {
  const {theme, health} = scene;
  return detailFeed === undefined ? {theme, isLinkDown: health.status !== 'up'} : feedFrame(scene, detailFeed);
}
