package main

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
)

// strategy is what happens to an object of any kind on its way into the storage.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	resource resource
}

func (s strategy) NamespaceScoped() bool          { return !s.resource.clusterWide }
func (s strategy) AllowCreateOnUpdate() bool      { return false }
func (s strategy) AllowUnconditionalUpdate() bool { return true }
func (s strategy) Canonicalize(runtime.Object)    {}

func (s strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

func (s strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

func (s strategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	if status := part(object, "Status"); status.IsValid() {
		status.SetZero()
	}
	if namespace, is := object.(*corev1.Namespace); is {
		namespace.Status.Phase = corev1.NamespaceActive
	}
	if part(object, "Spec").IsValid() {
		metadata(object).SetGeneration(1)
	}
}

func (s strategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	copyPart(object, old, "Status")
	spec := part(object, "Spec")
	if spec.IsValid() && !equality.Semantic.DeepEqual(spec.Interface(), part(old, "Spec").Interface()) {
		metadata(object).SetGeneration(metadata(old).GetGeneration() + 1)
	}
}

// Validate has the rule for names that all kinds but those of RBAC share. The rules of single kinds are not in the
// libraries.
func (s strategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	if s.resource.kind.Group == rbacv1.GroupName {
		return nil
	}
	return validation.ValidateObjectMetaAccessor(metadata(object), s.NamespaceScoped(), validation.NameIsDNSSubdomain,
		field.NewPath("metadata"))
}

func (s strategy) ValidateUpdate(context.Context, runtime.Object, runtime.Object) field.ErrorList {
	return nil
}

// statusStrategy writes the status and leaves the rest as it is.
type statusStrategy struct{ strategy }

func (s statusStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	copyPart(object, old, "Spec")
}

// part is the field of that name; invalid where the kind has none.
func part(object runtime.Object, name string) reflect.Value {
	return reflect.ValueOf(object).Elem().FieldByName(name)
}

func copyPart(to, from runtime.Object, name string) {
	if target := part(to, name); target.IsValid() {
		target.Set(part(from, name))
	}
}

func metadata(object runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(object)
	must(err)
	return accessor
}

// attributes are what objects can be selected by.
func (r resource) attributes(object runtime.Object) (labels.Set, fields.Set, error) {
	m := metadata(object)
	selectable := fields.Set{"metadata.name": m.GetName()}
	if !r.clusterWide {
		selectable["metadata.namespace"] = m.GetNamespace()
	}
	if pod, is := object.(*corev1.Pod); is {
		selectable["spec.nodeName"] = pod.Spec.NodeName
		selectable["status.phase"] = string(pod.Status.Phase)
	}
	return m.GetLabels(), selectable, nil
}

// objects is the storage of a kind, with its short names.
type objects struct {
	*registry.Store
	shortNames []string
}

func (o objects) ShortNames() []string { return o.shortNames }

// statuses is the subresource "status" of a kind. It has no more verbs than these.
type statuses struct{ store *registry.Store }

func (s statuses) New() runtime.Object { return s.store.New() }

// Destroy does nothing: the storage belongs to objects.
func (s statuses) Destroy() {}

func (s statuses) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

func (s statuses) Update(ctx context.Context, name string, change rest.UpdatedObjectInfo,
	onCreate rest.ValidateObjectFunc, onUpdate rest.ValidateObjectUpdateFunc, _ bool,
	options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, change, onCreate, onUpdate, false, options)
}

// addTo adds the storage of a kind to those of its group, and that of the status where the kind has one.
func (r resource) addTo(storages map[string]rest.Storage, types *runtime.Scheme, options generic.RESTOptionsGetter) {
	maker := func(kind string) func() runtime.Object {
		return func() runtime.Object {
			object, err := types.New(r.kind.GroupVersion().WithKind(kind))
			must(err)
			return object
		}
	}
	way := strategy{types, names.SimpleNameGenerator, r}
	store := &registry.Store{
		NewFunc:                   maker(r.kind.Kind),
		NewListFunc:               maker(r.kind.Kind + "List"),
		DefaultQualifiedResource:  r.plural,
		SingularQualifiedResource: r.singular,
		CreateStrategy:            way,
		UpdateStrategy:            way,
		DeleteStrategy:            way,
		TableConvertor:            rest.NewDefaultTableConvertor(r.plural),
	}
	must(store.CompleteWithOptions(&generic.StoreOptions{
		RESTOptions: options,
		AttrFunc:    storage.AttrFunc(r.attributes),
	}))
	storages[r.plural.Resource] = objects{store, r.shortNames}
	if part(store.New(), "Status").IsValid() {
		ofStatus := *store
		ofStatus.UpdateStrategy = statusStrategy{way}
		storages[r.plural.Resource+"/status"] = statuses{&ofStatus}
	}
}
