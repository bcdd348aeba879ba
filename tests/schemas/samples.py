"""One example of every record of the wire and of every stored document.

The golden files hold their bytes. An example never changes; what is new gets one of its own.
"""

import msgspec

from engine import commands as c
from engine import events as e
from engine import records as r
from engine.aggregates import (
    Activation,
    BufferedMessage,
    ConversationState,
    DeployedVersion,
    DeploymentsState,
    MessageState,
    OpenSubscriptionState,
    PendingDeployment,
    TimerStart,
)
from engine.definitions import DecisionVersions, ProcessVersions, VersionRef
from engine.lifecycle import ElementState, InstanceState
from engine.partition import AppliedCommand
from engine.state import (
    AdHocWait,
    CallWait,
    Compensable,
    ElementInstance,
    GateWait,
    HoldWait,
    IncidentWait,
    JobWait,
    Loop,
    ProcessInstance,
    SubscriptionWait,
    SweepWait,
    TaskChange,
    TaskWait,
    TimerWait,
    Tombstone,
)
from schemas.publication_writer import OutboxRecord
from schemas.snapshot import Document

NOW = 1_767_225_600_000
ORDER = "0194fdc2-fa2f-7cc0-81d3-ff1207453200"
VARIABLES = '{"amount":12.5,"name":"Zoë","big":12345678901234567890123}'

COMMANDS: tuple[c.AnyCommand, ...] = (
    c.DeployResources(resources=(c.Resource(name="order.bpmn", content=b"<definitions/>\x00"),)),
    c.StartInstance(process_id="order", instance_id=ORDER, business_key="B-7", variables=VARIABLES),
    c.TerminateInstance(instance_id=ORDER, reason="ordered twice"),
    c.SetVariables(
        instance_id=ORDER, element_instance_id=f"{ORDER}:65541", variables=VARIABLES, local=True
    ),
    c.CompleteJob(job_id=f"{ORDER}:65543", attempt=2, variables=VARIABLES, token="t"),
    c.FailJob(job_id=f"{ORDER}:65543", attempt=1, message="no credit", retries=2, backoff_ms=5_000),
    c.ThrowError(code="NO_CREDIT", job_id=f"{ORDER}:65543", attempt=1, message="no credit"),
    c.CompleteTask(task_id=f"{ORDER}:65545", variables=VARIABLES),
    c.PublishMessage(
        name="paid", correlation_key="B-7", message_id="m1", ttl_ms=60_000, variables=VARIABLES
    ),
    c.ResolveIncident(incident_id=f"{ORDER}:65550", retries=3, variables=VARIABLES),
    c.ActivateActivities(element_instance_id=f"{ORDER}:65551", element_ids=("Task_1", "Task_2")),
    c.ClaimTask(task_id=f"{ORDER}:65545", user="ann"),
    c.AssignTask(task_id=f"{ORDER}:65545", assignee="bob"),
    c.UpdateTask(
        task_id=f"{ORDER}:65545",
        due_at=NOW,
        priority=80,
        candidate_users=("ann", "bob"),
        candidate_groups=(),
        clear=("follow_up_at",),
    ),
    c.ActivateVersion(
        partition=3,
        deployment=12,
        process_id="order",
        version=2,
        checksum="ab" * 32,
        semantics=1,
        message_starts=(("paid", "Start_paid"), ("ordered", "Start_ordered")),
        version_tag="1.0",
        condition_starts=("Start_hot",),
        kind="decision",
        imports=("cd" * 32,),
        joint_starts=("Start_paid", "Start_ordered"),
        alternative_starts=("Catch_late",),
    ),
    c.VersionActivated(deployment=12, process_id="order", version=2, partition=3, kind="decision"),
    c.FireTimer(address=ORDER, timer=65_547, due_ms=NOW),
    c.Continue(instance_id=ORDER, steps=1_000),
    c.StartChild(
        instance_id=f"{ORDER}~65560",
        process_id="payment",
        version=1,
        parent_id=ORDER,
        parent_element=65_541,
        depth=1,
        business_key="B-7",
        variables=VARIABLES,
    ),
    c.ChildEnded(
        instance_id=ORDER,
        parent_element=65_541,
        child_id=f"{ORDER}~65560",
        state="COMPLETED",
        variables=VARIABLES,
    ),
    c.TerminateChild(instance_id=f"{ORDER}~65560", parent_element=65_541),
    c.OpenSubscription(
        name="paid",
        correlation_key="B-7",
        instance_id=ORDER,
        process_id="order",
        subscription=65_548,
        interrupting=True,
    ),
    c.CloseSubscription(name="paid", correlation_key="B-7", instance_id=ORDER, subscription=65_548),
    c.DeliverMessage(
        instance_id=ORDER,
        subscription=65_548,
        message=9,
        name="paid",
        correlation_key="B-7",
        variables=VARIABLES,
    ),
    c.SettleMessage(
        name="paid",
        correlation_key="B-7",
        instance_id=ORDER,
        subscription=65_548,
        message=9,
        accepted=True,
    ),
    c.StartByMessage(
        instance_id=ORDER,
        process_id="order",
        version=2,
        start_element="Start_paid",
        name="paid",
        correlation_key="B-7",
        message=9,
        variables=VARIABLES,
        conversation="B-7",
        holder="0194fdc2-fa2f-7cc0-81d3-ff1207453201",
    ),
    c.MessageStartSettled(
        name="paid",
        correlation_key="B-7",
        process_id="order",
        instance_id=ORDER,
        message=9,
        accepted=False,
        holder="0194fdc2-fa2f-7cc0-81d3-ff1207453201",
    ),
    c.ReleaseMessageKey(name="paid", correlation_key="B-7", process_id="order", instance_id=ORDER),
    c.StartByTimer(
        instance_id=ORDER,
        process_id="order",
        version=2,
        start_element="Start_daily",
        part=1,
        due_ms=NOW,
        conversation="",
        holder=ORDER,
    ),
    c.RaiseIncident(instance_id=ORDER, kind="ENGINE_FAULT", message="a bug"),
    c.ThrowEscalation(code="LATE", job_id=f"{ORDER}:65543", attempt=1, variables=VARIABLES),
    c.BroadcastSignal(name="closing", variables=VARIABLES),
    c.ChildEscalated(
        instance_id=ORDER,
        parent_element=65_541,
        child_id=f"{ORDER}~65560",
        code="LATE",
        variables=VARIABLES,
        steps=3,
    ),
    c.DeliverSignal(
        partition=3,
        name="closing",
        variables=VARIABLES,
        thrown_by=ORDER,
        before=4_711,
        after_since=4_700,
        after_wait=f"{ORDER}:65544",
    ),
    c.TakeSignal(instance_id=ORDER, subscription=65_544, variables=VARIABLES),
    c.StartBySignal(
        instance_id=ORDER,
        process_id="order",
        version=2,
        start_element="Start_closing",
        variables=VARIABLES,
        checksum="ab" * 32,
        semantics=1,
        name="closing",
        conversation="",
        holder=ORDER,
    ),
    c.EvaluateConditions(variables=VARIABLES),
    c.StartByCondition(
        instance_id=ORDER,
        process_id="order",
        version=2,
        start_element="Start_hot",
        variables=VARIABLES,
        checksum="ab" * 32,
        semantics=1,
        part=1,
        conversation="",
        holder=ORDER,
    ),
    c.EndConversation(process_id="order", key="", instance_id=ORDER, ended_at=NOW),
)

START = e.InstanceStart(
    process_id="order",
    version=2,
    root_id=ORDER,
    counter=65_536,
    start_command_id="start-1",
    started_at=NOW,
    business_key="B-7",
    conversation="B-7",
)

DETAILS = e.TaskDetails(
    name="Approve",
    assignee="ada",
    candidate_users=("ada", "bob"),
    candidate_groups=("sales",),
    due_at=NOW + 86_400_000,
    priority=70,
    created_at=NOW,
)

EVENTS: tuple[e.AnyEvent, ...] = (
    e.InstanceChanged(state="RUNNING", start=START),
    e.ElementActivated(key=65_538, element_id="Task_1", scope=65_537, consumed=("Flow_1",)),
    e.ElementCompleted(key=65_538),
    e.ElementTerminated(key=65_538),
    e.FlowTaken(flow_id="Flow_2", scope=65_537),
    e.VariablesSet(scope=65_537, variables={"amount": "12.50", "name": '"Zoë"'}),
    e.TimerArmed(
        key=65_540,
        owner=65_538,
        element_id="Boundary_1",
        due_ms=NOW,
        cycle="R3/PT1H",
        repetitions=2,
    ),
    e.TimerClosed(key=65_540, fired=True),
    e.SubscriptionOpened(
        key=65_541,
        owner=65_538,
        element_id="Catch_1",
        name="paid",
        correlation_key="B-7",
        interrupting=False,
    ),
    e.SubscriptionClosed(key=65_541, message=9),
    e.JobOpened(
        key=65_542,
        owner=65_538,
        type="charge-card",
        attempt=1,
        retries_left=3,
        headers={"currency": "EUR"},
    ),
    e.JobClosed(
        key=65_542, reason="failed", message="no credit", retries_left=2, retry_at=NOW + 5_000
    ),
    e.TaskChanged(key=65_543, owner=65_538, state="created", details=DETAILS),
    e.TaskChanged(
        key=65_543,
        owner=65_538,
        state="updating",
        details=DETAILS,
        variables={"amount": "12.5"},
        local=True,
    ),
    e.HoldOpened(
        key=65_558, owner=65_541, until=65_540, start="Start_1", variables={"amount": "12.5"}
    ),
    e.HoldClosed(key=65_558),
    e.TaskChanged(key=65_543, owner=65_538, state="denied", reason="too late"),
    e.CallOpened(key=65_544, owner=65_538, child_id=f"{ORDER}~65544"),
    e.CallClosed(key=65_544),
    e.IncidentRaised(
        key=65_545,
        owner=65_538,
        kind="NO_FLOW_CHOSEN",
        message="no condition holds",
        step="leave",
        element_id="Gateway_1",
    ),
    e.IncidentResolved(key=65_545, canceled=True),
    e.ConditionEvaluated(scope=65_537, flow_id="Flow_3", expression="amount > 10", result=True),
    e.LoopOpened(key=65_546, count=2, items=('"a"', "2"), item="item", output="result"),
    e.ElementActivated(key=65_547, element_id="Task_2", scope=65_546, ordinal=1),
    e.OutputCollected(key=65_546, ordinal=1, text='{"price":12.5}'),
    e.LoopStopped(key=65_546),
    e.DecisionEvaluated(owner=65_538, decision_id="Rate", version=2),
    e.CompensationRecorded(
        key=65_538,
        element_id="Task_1",
        scope=65_537,
        handler="Undo_1",
        variables={"amount": "12.50"},
    ),
    e.CompensationStarted(
        key=65_548,
        owner=65_539,
        scope=65_537,
        entries=(e.LedgerEntry(key=65_538, scope=65_537),),
        expanded=(e.LedgerEntry(key=65_536, scope=65_537),),
    ),
    e.CompensationEnded(key=65_548),
    e.GateOpened(key=65_549, owner=65_539),
    e.GateFired(key=65_549, consumed=("Flow_1", "Flow_2")),
    e.GateClosed(key=65_549),
    e.AdHocOpened(key=65_550, owner=65_538),
    e.ActivitiesChosen(key=65_550, element_ids=("Task_3", "Task_4")),
    e.ElementActivated(key=65_551, element_id="Task_3", scope=65_538, ad_hoc=65_550),
    e.AdHocStopped(key=65_550, discarded=("Flow_4",)),
    e.AdHocClosed(key=65_550),
)

EFFECT = r.Effect(
    id="3-4711-2",
    type="JobCreated",
    partition=3,
    offset=4_711,
    index=2,
    time=NOW,
    instance_id=ORDER,
    root_id=ORDER,
    process_id="order",
    version=2,
    business_key="B-7",
    element_id="Task_1",
    element_instance_id=f"{ORDER}:65538",
    sequence=65_542,
    digest="5f" * 16,
    causation="start-1",
    actor="ada",
    variables=VARIABLES,
    job=r.EffectJob(job_id=f"{ORDER}:65542", attempt=1, type="charge-card"),
)

PUBLISHED: tuple[r.Effect | r.Job | r.Task | r.Reply | r.Transition, ...] = (
    EFFECT,
    r.Job(
        job_id=f"{ORDER}:65542",
        attempt=1,
        type="charge-card",
        instance_id=ORDER,
        root_id=ORDER,
        process_id="order",
        version=2,
        business_key="B-7",
        element_id="Task_1",
        headers={"currency": "EUR"},
        variables=VARIABLES,
        retries_left=3,
        created_at=NOW,
    ),
    r.Task(
        task_id=f"{ORDER}:65543",
        state="created",
        instance_id=ORDER,
        root_id=ORDER,
        process_id="order",
        version=2,
        element_id="Task_2",
        name="Approve",
        assignee="ada",
        candidate_users=("ada", "bob"),
        candidate_groups=("sales",),
        due_at=NOW + 86_400_000,
        priority=70,
        created_at=NOW,
        variables=VARIABLES,
        revision=1,
    ),
    r.Reply(
        command_id="start-1",
        status=r.ReplyStatus.REJECTED,
        instance_id=ORDER,
        code="INVALID_STATE",
        detail="expected RUNNING, found COMPLETED",
        result='{"findings":[]}',
    ),
    r.Transition(
        instance_id=ORDER,
        root_id=ORDER,
        process_id="order",
        version=2,
        partition=3,
        offset=4_711,
        index=3,
        time=NOW,
        command_id="start-1",
        command_type="StartInstance",
        actor="ada",
        first_sequence=65_537,
        part=1,
        parts=1,
        events=EVENTS,
    ),
)

INSTANCE = ProcessInstance(
    instance_id=ORDER,
    start=START,
    state=InstanceState.RUNNING,
    counter=65_550,
    sequence=65_560,
    digest="5f" * 16,
    revision=7,
    elements={
        65_537: ElementInstance(key=65_537, element_id="order", scope=None, since_ms=NOW, open=2),
        65_541: ElementInstance(
            key=65_541,
            element_id="Task_1",
            scope=65_537,
            since_ms=NOW,
            state=ElementState.ACTIVE,
            waits=(65_542, 65_540),
        ),
    },
    waits={
        65_542: JobWait(
            key=65_542,
            owner=65_541,
            type="charge-card",
            attempt=1,
            retries_left=3,
            headers={"currency": "EUR"},
        ),
        65_540: TimerWait(key=65_540, owner=65_541, element_id="Boundary_1", due_ms=NOW),
        65_543: TaskWait(
            key=65_543,
            owner=65_541,
            details=DETAILS,
            change=TaskChange(state="updating", details=DETAILS, variables={"amount": "12.5"}),
        ),
        65_544: SubscriptionWait(
            key=65_544, owner=65_541, element_id="Catch_1", name="paid", correlation_key="B-7"
        ),
        65_545: CallWait(key=65_545, owner=65_541, child_id=f"{ORDER}~65545"),
        65_558: HoldWait(key=65_558, owner=65_541, until=65_540, variables={"amount": "12.5"}),
        65_546: IncidentWait(
            key=65_546,
            owner=65_541,
            kind="NO_FLOW_CHOSEN",
            message="no condition holds",
            step="leave",
            since_ms=NOW,
        ),
        65_547: SweepWait(key=65_547, owner=65_541, scope=65_537, entries=(65_539, 65_538)),
        65_549: AdHocWait(
            key=65_549, owner=65_541, chosen=("Task_2",), begun=3, completed=1, active=2
        ),
        65_548: GateWait(key=65_548, owner=65_541, waiting_for_start=False, taken=("Flow_1",)),
    },
    arrivals={65_537: {"Flow_2": 1, "Flow_1": 2}},
    variables={65_541: {"zeta": "1", "alpha": '"a"'}, 65_537: {"amount": "12.50"}},
    variables_bytes=30,
    loops={
        65_541: Loop(count=200, items=('"a"',), item="item", output="got", begun=3, completed=2)
    },
    outputs={65_541: {0: {2: '"B"'}, 1: {128: "7"}}},
    loops_bytes=7,
    ledger={
        65_537: {
            65_539: Compensable(key=65_539, element_id="Sub_1"),
            65_538: Compensable(
                key=65_538,
                element_id="Task_1",
                handler="Undo_1",
                variables={"seat": "7"},
                sweep=65_547,
            ),
        }
    },
    ledger_bytes=5,
)

DOCUMENTS: dict[str, Document] = {
    "instance": INSTANCE,
    "tombstone": Tombstone(
        instance_id=ORDER,
        process_id="order",
        version=2,
        business_key="B-7",
        state=InstanceState.COMPLETED,
        start_command_id="start-1",
        ended_at=NOW,
        expires_at=NOW + 86_400_000,
    ),
    "message": MessageState(
        name="paid",
        correlation_key="B-7",
        subscriptions=(
            OpenSubscriptionState(
                instance_id=ORDER, process_id="order", subscription=65_544, interrupting=True
            ),
        ),
        messages=(
            BufferedMessage(
                number=9, variables=VARIABLES, expires_at=NOW + 60_000, taken_by=("order",)
            ),
        ),
        message_ids={"m2": NOW + 3_600_000, "m1": NOW},
        started={"order": ORDER},
        timer_at=NOW + 60_000,
    ),
    "deployments": DeploymentsState(
        versions={"order": (DeployedVersion(version=1, checksum="ab" * 32, semantics=1),)},
        timer_starts=(
            TimerStart(
                timer=7,
                process_id="order",
                version=1,
                element_id="Start_daily",
                due_ms=NOW,
                part=1,
                joint=True,
            ),
        ),
        pending=(
            PendingDeployment(
                number=12,
                command_id="deploy-1",
                reply=r.ReplyAddress(topic="shop.replies", partition=2, correlation_id=b"\x00\xff"),
                result='{"deployed":[]}',
                waiting=(Activation(process_id="order", version=1, partitions=(3, 5)),),
                new_decisions=(("Rate", 1),),
            ),
        ),
        decisions={
            "Rate": (
                DeployedVersion(version=1, checksum="ab" * 32, semantics=1, imports=("cd" * 32,)),
            )
        },
    ),
    "decision": DecisionVersions(
        id="Rate",
        versions=(VersionRef(version=1, checksum="ab" * 32, semantics=1, imports=("cd" * 32,)),),
    ),
    "versions": ProcessVersions(
        id="order",
        versions=(
            VersionRef(version=1, checksum="ab" * 32, semantics=1, deployment=12, tag="1.0"),
        ),
        message_starts=(("paid", "Start_paid"),),
        condition_starts=("Start_hot",),
        joint_starts=("Start_paid", "Start_ordered"),
        alternative_starts=("Catch_late",),
    ),
    "applied": AppliedCommand(
        status=r.ReplyStatus.REJECTED,
        instance_id=ORDER,
        code="NOT_FOUND",
        detail="no such process",
    ),
    "send": r.SendNumber(generation=1, offset=4_711, index=2),
    "outbox": OutboxRecord(
        topic="shop.effects",
        key=ORDER.encode(),
        partition=3,
        headers=(("ce_id", b"3-4711-2"),),
        value=b"\xc3\x01",
    ),
    "conversation": ConversationState(
        process_id="order", key="B-7", holder=ORDER, names=("paid",), ended_at=NOW
    ),
}


def name_of(record: msgspec.Struct) -> str:
    return type(record).__name__
