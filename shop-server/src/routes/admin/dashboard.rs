//! How the shop is doing (`/api/admin/dashboard`).

use shop_core::views::{Overview, OverviewFilter, ShopTotals, TaskFilter, Tasks};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/dashboard", "getDashboard", overview)
            .about("How the last days went, beside as many before them"),
        admin(Method::GET, "/api/admin/dashboard/stats", "getDashboardStats", stats)
            .about("The shop in numbers, and its latest orders"),
        admin(Method::GET, "/api/admin/dashboard/tasks", "getDashboardTasks", tasks)
            .about("What waits for staff: how much of each kind, and the first few of it"),
    ]
}

async fn overview(call: Call<Admin>, Query(filter): Query<OverviewFilter>) -> Result<Overview> {
    call.shop().dashboard().get_overview(filter).await
}

async fn stats(call: Call<Admin>) -> Result<ShopTotals> {
    call.shop().dashboard().get_totals().await
}

async fn tasks(call: Call<Admin>, Query(filter): Query<TaskFilter>) -> Result<Tasks> {
    call.shop().dashboard().get_tasks(filter).await
}
