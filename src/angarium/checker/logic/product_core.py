"""Strongly connected components of a graph times an automaton, in the low-level language.

A *node* is a state of the graph and a state of the automaton: `state << SHIFT | q`. The product is never
built. A node's steps are those of its state, for each of q's *rules* that the state's atoms allow.
Everything is in arrays by node; the greatest have 32 bits an entry.

`search` is Tarjan's algorithm in Pearce's form (*A space-efficient algorithm for finding strongly connected
components*, 2016): one number a node tells all. 0: not seen. While a node is open: the least number that it
is known to reach, counted from 1. Afterwards: the component's, counted down from `TOP`; `DEAD` if it cannot
have an accepting cycle. A dead node is greater than every number and so is never entered: that is how the
search is kept inside a part of the graph. What a node waits for is in `FRAMES`, four words each: node and
number, next step, last step, rule and flags; so going back to a node touches nothing but its frame.

The time goes into waiting for memory: per step of the graph one number is read from anywhere, and the
processor reads those of one node's steps side by side. Prefetching more than that was tried and is slower.
"""

from __future__ import annotations

from angarium.native.lowlevel import (
    Words,
    atomic_load,
    byte,
    half,
    offset,
    prefetch,
    put_byte,
    put_half,
    words,
)

# The fields of a product: the graph, the automaton, and what is found.
ROWS, TARGETS, LABELS, ATOMS, STATES, SHIFT, RULE_ROWS, RULES, HOPEFUL = range(9)
NUMBER, FRAMES, STACK, MEMBERS, ENDS, VERDICTS, COUNT, TOP, STOP = range(9, 18)
FIELDS = 18
# The fields of a breadth-first search: its queue, and how each place of it was come to.
QUEUE, ORIGIN, CHOICE, BY, SEEN, STAMP, GOALS, LOOP, PATIENCE = range(9)
WAYS = 9
# The words of a rule: atoms that must be true, atoms that must be false, where it leads, what it accepts.
TRUE, FALSE, TO, MARKS = range(4)
# The words of a frame.
NODE, EDGE, LAST, RULE = range(4)
FRAME = 4
IS_ROOT, LOOPS, FLAGS = 1, 2, 2
HALF, LOW_HALF = 32, 0xFFFFFFFF
DEAD, FIRST_TOP = 0xFFFFFFFF, 0xFFFFFFFE
# What is known of a component.
FAIR, REJECTED, REFINED = range(3)
NOWHERE = 0xFFFFFFFFFFFFFFFF
AHEAD = 8  # How many nodes further on in a queue are prefetched.


# --- components -----------------------------------------------------------------------------------


def components(p: Words, roots: Words, count: int) -> None:
    """Find the components that lie behind some nodes."""
    for position in range(count):
        root = half(roots, position)
        if half(words(p[NUMBER]), root) == 0:
            search(p, root)


def components_everywhere(p: Words) -> None:
    """Find the components behind all nodes of the initial automaton state, but not those among them."""
    for state in range(p[STATES]):
        for rule in range(words(p[RULE_ROWS])[1]):
            fields = offset(words(p[RULES]), rule * 4)
            if fields[TO] and allows(fields, words(p[ATOMS])[state]):
                for edge in range(words(p[ROWS])[state], words(p[ROWS])[state + 1]):
                    root = (half(words(p[TARGETS]), edge) << p[SHIFT]) | fields[TO]
                    if half(words(p[NUMBER]), root) == 0:
                        search(p, root)


def allows(rule: Words, letter: int) -> int:
    """Whether the atoms of a state allow a rule."""
    if letter & rule[TRUE] != rule[TRUE]:
        return 0
    return 0 if letter & rule[FALSE] else 1


def search(p: Words, root: int) -> None:  # noqa: C901 - one loop, so that all it uses stays in registers
    """Number all that is reachable from a node and was not seen before."""
    rows = words(p[ROWS])
    targets = words(p[TARGETS])
    atoms = words(p[ATOMS])
    shift = p[SHIFT]
    mask = (1 << shift) - 1
    rule_rows = words(p[RULE_ROWS])
    rules = words(p[RULES])
    number = words(p[NUMBER])
    stack = words(p[STACK])
    bottom = words(p[FRAMES])
    frame = bottom
    held = 0
    fresh = 1
    node = root
    entering = 1
    while not atomic_load(p, STOP):
        if entering:
            low = fresh
            fresh += 1
            put_half(number, node, low)
            flags = IS_ROOT
            rule = rule_rows[node & mask]
            edge = rows[node >> shift]
            last = rows[(node >> shift) + 1]
            entering = 0
        end = rule_rows[(node & mask) + 1]
        following = 0
        while rule < end:
            fields = offset(rules, rule * 4)
            if allows(fields, atoms[node >> shift]):
                to = fields[TO]
                while edge < last:
                    following = (half(targets, edge) << shift) | to
                    edge += 1
                    seen = half(number, following)
                    if seen == 0:
                        entering = 1
                        break
                    if seen == low:
                        flags = flags | LOOPS
                    if seen < low:
                        low = seen
                        flags = flags & ~IS_ROOT
                if entering:
                    break
            rule += 1
            if rule < end:
                edge = rows[node >> shift]
        if entering:
            frame[NODE] = node | (low << HALF)
            frame[EDGE] = edge
            frame[LAST] = last
            frame[RULE] = (rule << FLAGS) | flags
            frame = offset(frame, FRAME)
            node = following
            continue
        if flags & IS_ROOT:
            held = finish(p, node, low, flags & LOOPS, held)
            fresh = low
            low = DEAD
        else:
            put_half(number, node, low)
            put_half(stack, held, node)
            held += 1
        if frame == bottom:
            break
        frame = offset(frame, 0 - FRAME)
        reached = low
        node = frame[NODE] & LOW_HALF
        low = frame[NODE] >> HALF
        edge = frame[EDGE]
        last = frame[LAST]
        rule = frame[RULE] >> FLAGS
        flags = frame[RULE] & (IS_ROOT | LOOPS)
        if reached < low:
            low = reached
            flags = flags & ~IS_ROOT


def finish(p: Words, root: int, low: int, loops: int, held: int) -> int:
    """Take a component from the stack; how much the stack holds below it."""
    number = words(p[NUMBER])
    stack = words(p[STACK])
    base = held
    while base > 0 and half(number, half(stack, base - 1)) >= low:
        base -= 1
    mask = (1 << p[SHIFT]) - 1
    if (base == held and not loops) or not byte(words(p[HOPEFUL]), root & mask):
        put_half(number, root, DEAD)
        for position in range(base, held):
            put_half(number, half(stack, position), DEAD)
        return base
    count = p[COUNT]
    p[COUNT] = count + 1
    ends = words(p[ENDS])
    member = ends[count]
    members = words(p[MEMBERS])
    for position in range(base, held):
        put_half(number, half(stack, position), p[TOP] - count)
        put_half(members, member, half(stack, position))
        member += 1
    put_half(number, root, p[TOP] - count)
    put_half(members, member, root)
    ends[count + 1] = member + 1
    return base


# --- which of them are fair -----------------------------------------------------------------------


def see_marks(p: Words, wanted: int) -> None:
    """Reject the components whose inner steps do not accept all that is wanted."""
    for component in range(p[COUNT]):
        seen = 0
        for position in range(words(p[ENDS])[component], words(p[ENDS])[component + 1]):
            seen = seen | marks_of(p, component, half(words(p[MEMBERS]), position), wanted & ~seen)
            if wanted & ~seen == 0 or atomic_load(p, STOP):
                break
        if wanted & ~seen:
            put_byte(words(p[VERDICTS]), component, REJECTED)


def marks_of(p: Words, component: int, node: int, wanted: int) -> int:
    """What the steps of a node accept that stay in its component, as far as it is wanted."""
    mask = (1 << p[SHIFT]) - 1
    state = node >> p[SHIFT]
    seen = 0
    for rule in range(words(p[RULE_ROWS])[node & mask], words(p[RULE_ROWS])[(node & mask) + 1]):
        fields = offset(words(p[RULES]), rule * 4)
        if fields[MARKS] & wanted & ~seen and allows(fields, words(p[ATOMS])[state]):
            for edge in range(words(p[ROWS])[state], words(p[ROWS])[state + 1]):
                if is_inside(p, p[TOP] - component, edge, fields[TO]):
                    seen = seen | fields[MARKS]
                    break
    return seen


def is_inside(p: Words, home: int, edge: int, to: int) -> int:
    """Whether a step leads to a node of a component."""
    target = (half(words(p[TARGETS]), edge) << p[SHIFT]) | to
    return 1 if half(words(p[NUMBER]), target) == home else 0


def see_classes(p: Words, table: Words, weak: int, strong: int, starved: Words) -> None:
    """Reject the components in which a weak class starves; note the strong ones that starve in each."""
    for component in range(p[COUNT]):
        taken = 0
        always = NOWHERE
        ever = 0
        for position in range(words(p[ENDS])[component], words(p[ENDS])[component + 1]):
            node = half(words(p[MEMBERS]), position)
            enabled = enabled_in(p, table, node >> p[SHIFT])
            always = always & enabled
            ever = ever | enabled
            if enabled & ~taken:
                taken = taken | taken_from(p, component, table, node, enabled & ~taken)
            if (strong & ~taken) | (weak & ~taken & always) == 0 or atomic_load(p, STOP):
                break
        if weak & ~taken & always:
            put_byte(words(p[VERDICTS]), component, REJECTED)
        starved[component] = strong & ~taken & ever


def enabled_in(p: Words, table: Words, state: int) -> int:
    """The classes of the steps that lead from a state to another."""
    enabled = 0
    for edge in range(words(p[ROWS])[state], words(p[ROWS])[state + 1]):
        if half(words(p[TARGETS]), edge) != state:
            enabled = enabled | table[half(words(p[LABELS]), edge)]
    return enabled


def taken_from(p: Words, component: int, table: Words, node: int, wanted: int) -> int:
    """The classes of the steps of a node that stay in its component, as far as they are wanted."""
    mask = (1 << p[SHIFT]) - 1
    state = node >> p[SHIFT]
    taken = 0
    for rule in range(words(p[RULE_ROWS])[node & mask], words(p[RULE_ROWS])[(node & mask) + 1]):
        fields = offset(words(p[RULES]), rule * 4)
        if allows(fields, words(p[ATOMS])[state]):
            for edge in range(words(p[ROWS])[state], words(p[ROWS])[state + 1]):
                classes = table[half(words(p[LABELS]), edge)]
                if classes & wanted & ~taken and half(words(p[TARGETS]), edge) != state:
                    if is_inside(p, p[TOP] - component, edge, fields[TO]):
                        taken = taken | classes
    return taken


def refine(p: Words, table: Words, starved: Words) -> None:
    """Kill the nodes in which a class is possible that starves in their component."""
    for component in range(p[COUNT]):
        if starved[component]:
            put_byte(words(p[VERDICTS]), component, byte(words(p[VERDICTS]), component) | REFINED)
            for position in range(words(p[ENDS])[component], words(p[ENDS])[component + 1]):
                node = half(words(p[MEMBERS]), position)
                if enabled_in(p, table, node >> p[SHIFT]) & starved[component]:
                    put_half(words(p[NUMBER]), node, DEAD)


def settle(p: Words, left: Words) -> int:
    """Kill what is rejected, free what is left of what was refined; how many nodes that are."""
    count = 0
    for component in range(p[COUNT]):
        verdict = byte(words(p[VERDICTS]), component)
        put_byte(words(p[VERDICTS]), component, FAIR)
        if verdict != FAIR:
            for position in range(words(p[ENDS])[component], words(p[ENDS])[component + 1]):
                node = half(words(p[MEMBERS]), position)
                if verdict & REJECTED:
                    put_half(words(p[NUMBER]), node, DEAD)
                elif half(words(p[NUMBER]), node) != DEAD:
                    put_half(words(p[NUMBER]), node, 0)
                    put_half(left, count, node)
                    count += 1
    p[TOP] = p[TOP] - p[COUNT]
    p[COUNT] = 0
    return count


# --- paths through the product ---------------------------------------------------------------------


def reach(p: Words, paths: Words, tail: int) -> int:
    """From the first nodes of a queue, the shortest path to a fair component; where that is in the queue."""
    mask = (1 << p[SHIFT]) - 1
    queue = words(paths[QUEUE])
    head = 0
    while head < tail and not atomic_load(p, STOP):
        look_ahead(p, queue, head, tail)
        node = half(queue, head)
        number = half(words(p[NUMBER]), node)
        if number != 0 and number != DEAD:
            return head
        state = node >> p[SHIFT]
        for rule in range(words(p[RULE_ROWS])[node & mask], words(p[RULE_ROWS])[(node & mask) + 1]):
            fields = offset(words(p[RULES]), rule * 4)
            if allows(fields, words(p[ATOMS])[state]):
                for edge in range(words(p[ROWS])[state], words(p[ROWS])[state + 1]):
                    target = (half(words(p[TARGETS]), edge) << p[SHIFT]) | fields[TO]
                    tail = enqueue(paths, tail, target, head, edge - words(p[ROWS])[state], rule)
        head += 1
    return NOWHERE


def look_ahead(p: Words, queue: Words, head: int, tail: int) -> None:
    """Fetch what will be asked of nodes further on in a queue: where their steps are, then the steps."""
    if head + 2 * AHEAD < tail:
        state = half(queue, head + 2 * AHEAD) >> p[SHIFT]
        prefetch(words(p[ROWS]), state)
        prefetch(words(p[ATOMS]), state)
    if head + AHEAD < tail:
        first = words(p[ROWS])[half(queue, head + AHEAD) >> p[SHIFT]]
        prefetch(words(p[TARGETS]), first >> 1)
        prefetch(words(p[LABELS]), first >> 1)


def enqueue(paths: Words, tail: int, node: int, origin: int, choice: int, rule: int) -> int:
    """Put a node at the end of the queue unless it was there before; where the queue ends then."""
    if half(words(paths[SEEN]), node) == paths[STAMP]:
        return tail
    return append(paths, tail, node, origin, choice, rule) + 1


def append(paths: Words, tail: int, node: int, origin: int, choice: int, rule: int) -> int:
    """Put a node at the end of the queue; its place."""
    put_half(words(paths[SEEN]), node, paths[STAMP])
    put_half(words(paths[QUEUE]), tail, node)
    put_half(words(paths[ORIGIN]), tail, origin)
    put_half(words(paths[CHOICE]), tail, choice)
    put_half(words(paths[BY]), tail, rule)
    return tail


def hop(p: Words, paths: Words, table: Words, marks: int, classes: int, idle: int) -> int:
    """From the queue's first node, the shortest path inside its component to something that is wanted.

    That is a step that has one of the marks, takes one of the classes or leads to a goal, or a node in which
    one of the idle classes is not possible. The path's end is at the place in the queue that is returned.
    """
    mask = (1 << p[SHIFT]) - 1
    queue = words(paths[QUEUE])
    home = half(words(p[NUMBER]), half(queue, 0))
    head = 0
    tail = 1
    while head < tail and paths[PATIENCE] and not atomic_load(p, STOP):
        look_ahead(p, queue, head, tail)
        node = half(queue, head)
        state = node >> p[SHIFT]
        if idle and idle & ~enabled_in(p, table, state):
            return head
        for rule in range(words(p[RULE_ROWS])[node & mask], words(p[RULE_ROWS])[(node & mask) + 1]):
            fields = offset(words(p[RULES]), rule * 4)
            if allows(fields, words(p[ATOMS])[state]):
                for edge in range(words(p[ROWS])[state], words(p[ROWS])[state + 1]):
                    if is_inside(p, home, edge, fields[TO]):
                        choice = edge - words(p[ROWS])[state]
                        target = (half(words(p[TARGETS]), edge) << p[SHIFT]) | fields[TO]
                        taken = table[half(words(p[LABELS]), edge)] if target >> p[SHIFT] != state else 0
                        if fields[MARKS] & marks or taken & classes or is_goal(paths, head, target):
                            return append(paths, tail, target, head, choice, rule)
                        tail = enqueue(paths, tail, target, head, choice, rule)
        head += 1
    return NOWHERE


def is_goal(paths: Words, place: int, target: int) -> int:
    """Whether a node is a goal, or a loop is wanted and the node is on the way to a place in the queue."""
    if byte(words(paths[GOALS]), target):
        return 1
    if not paths[LOOP] or half(words(paths[SEEN]), target) != paths[STAMP]:
        return 0
    while place and paths[PATIENCE] and half(words(paths[QUEUE]), place) != target:
        place = half(words(paths[ORIGIN]), place)
        paths[PATIENCE] = paths[PATIENCE] - 1
    return 1 if half(words(paths[QUEUE]), place) == target else 0
